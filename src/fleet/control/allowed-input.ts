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
 * Runs `work` with a signal that is aborted with `controlled` when another than `by` takes control.
 * Throws `controlled` if another has it now.
 */
export async function whileAllowed<T>(
  { control, computerId, by }: Giving,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const taken = new AbortController();
  const forget = control.onTaken(computerId, by, (refusal) => taken.abort(refusal));
  try {
    control.check(computerId, by);
    return await work(signal ? AbortSignal.any([signal, taken.signal]) : taken.signal);
  } finally {
    forget();
  }
}

/**
 * The same input, which ends with `controlled` when another than `by` takes control while it lasts:
 * typing can take hours. Throws `controlled` if another has it now.
 */
export function allowedInput(input: PreparedInput, giving: Giving) {
  giving.control.check(giving.computerId, giving.by);
  const perform: PreparedInput['perform'] = (screen, signal) =>
    // It may have been taken while the screen was opened.
    whileAllowed(giving, signal, (until) => input.perform(screen, until));
  return { ...input, perform };
}
