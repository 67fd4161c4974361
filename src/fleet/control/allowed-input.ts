import type { Owner } from '../accounts/api-keys.js';
import type { ControlLeases } from './leases.js';

/** Who gives input to which computer. */
interface Giving {
  readonly control: Pick<ControlLeases, 'check' | 'onTaken'>;
  readonly computerId: string;
  readonly by: Owner;
}

/** The same as {@link untilTaken}. Throws `controlled` if another has control now. */
export async function whileAllowed<T>(
  giving: Giving,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  giving.control.check(giving.computerId, giving.by);
  return untilTaken(giving, signal, work);
}

/**
 * Runs `work` with a signal that is aborted with `controlled` when another than `by` takes control:
 * typing can take hours.
 */
export async function untilTaken<T>(
  { control, computerId, by }: Giving,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const taken = new AbortController();
  const forget = control.onTaken(computerId, by, (refusal) => taken.abort(refusal));
  try {
    return await work(signal ? AbortSignal.any([signal, taken.signal]) : taken.signal);
  } finally {
    forget();
  }
}
