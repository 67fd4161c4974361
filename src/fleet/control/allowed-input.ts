import type { Owner } from '../accounts/api-keys.js';
import type { PreparedInput } from '../actions/input-actions.js';
import type { ControlLeases } from './leases.js';

/** Who gives input to which computer. */
interface Giving {
  readonly control: Pick<ControlLeases, 'check' | 'onTaken'>;
  readonly computerId: string;
  readonly by: Owner;
}

/**
 * The same input, which ends with `controlled` when another than `by` takes control while it lasts:
 * typing can take hours. Throws `controlled` if another has it now.
 */
export function allowedInput(input: PreparedInput, { control, computerId, by }: Giving) {
  control.check(computerId, by);
  const perform: PreparedInput['perform'] = async (screen, signal) => {
    const taken = new AbortController();
    const forget = control.onTaken(computerId, by, (refusal) => taken.abort(refusal));
    try {
      // It may have been taken while the screen was opened.
      control.check(computerId, by);
      await input.perform(screen, AbortSignal.any([signal, taken.signal]));
    } finally {
      forget();
    }
  };
  return { ...input, perform };
}
