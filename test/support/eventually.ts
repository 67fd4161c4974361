import { setTimeout as sleep } from 'node:timers/promises';

/** Retries until `probe` returns something other than undefined or false. */
export async function eventually<T>(
  probe: () => Promise<T | undefined | false>,
  ms = 30_000,
  pauseMs = 20,
): Promise<T> {
  for (const end = Date.now() + ms; ; await sleep(pauseMs)) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`not within ${ms} ms`);
  }
}
