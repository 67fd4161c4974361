import { signal } from '@preact/signals';
import { asFailure } from '../api/failure.js';
import { requireProof } from './proof/proof.js';
import { endSession } from './session.js';

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

/** Nothing is sent to another program, or to the service when the name of this page has ended. */
function unproven(error: unknown): false {
  const failure = asFailure(error);
  if (failure.status === 401) {
    endSession(failure);
    isAway.value = false;
  }
  return false;
}

function isHealthy(): Promise<boolean> {
  return fetch('/api/health').then(
    // 401: the service is back, but this page's name has ended.
    ({ ok, status }) => ok || status === 401,
    () => false,
  );
}

async function probe(): Promise<void> {
  probing = true;
  for (let pause = FIRST_RETRY_MS; isAway.value; pause = Math.min(pause * 1.5, MOST_RETRY_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const isBack = await requireProof().then(isHealthy, unproven);
    if (isBack) noteReached();
  }
  probing = false;
}
