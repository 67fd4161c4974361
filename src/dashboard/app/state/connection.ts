import { signal } from '@preact/signals';

/** True while the service cannot be reached. */
export const isAway = signal(false);
/** Grows each time when the service is back, so that pages read their data again. */
export const returns = signal(0);

const FIRST_RETRY_MS = 500;
const MOST_RETRY_MS = 5_000;
let probing = false;

/** A request got no answer: ask for the service's health until it is back. */
export function noteAway(): void {
  isAway.value = true;
  if (!probing) void probe();
}

export function noteReached(): void {
  if (!isAway.value) return;
  isAway.value = false;
  returns.value += 1;
}

async function probe(): Promise<void> {
  probing = true;
  for (let pause = FIRST_RETRY_MS; isAway.value; pause = Math.min(pause * 1.5, MOST_RETRY_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const isBack = await fetch('/api/health').then(
      ({ ok }) => ok,
      () => false,
    );
    if (isBack) noteReached();
  }
  probing = false;
}
