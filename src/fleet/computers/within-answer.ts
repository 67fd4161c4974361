import { resolvesWithin } from '../../lib/async/deadline.js';

/** A request waits at most this long for a computer to become ready, then reports its progress. */
const ANSWER_AFTER_MS = 60_000;

/** Settles as `settled` does, or resolves when the request has waited long enough. */
export async function withinAnswer(settled: Promise<void>): Promise<void> {
  await resolvesWithin(settled, ANSWER_AFTER_MS);
}
