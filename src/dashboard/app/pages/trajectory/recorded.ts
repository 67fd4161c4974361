import { useCallback, useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { call, query } from '../../api/http.js';
import type { Trajectory, TrajectoryStep, TrajectorySteps } from '../../api/types.js';
import { returns } from '../../state/connection.js';
import { isVisible } from '../../state/visibility.js';
import { inOrder } from './model/order.js';

/** Steps of one request. */
const LIMIT = 500;
/** Milliseconds until the next look for more, while it is recorded and otherwise. */
const RECORDING_MS = 1_500;
const IDLE_MS = 5_000;

export interface Recorded {
  /** Undefined until it was read; null if nothing was recorded. */
  readonly trajectory: Trajectory | null | undefined;
  /** In the order in which they began, as far as they were read. */
  readonly steps: readonly TrajectoryStep[];
  readonly failure: Failure | undefined;
}

const NOTHING: Recorded = { trajectory: undefined, steps: [], failure: undefined };

/** The trajectory of a computer, kept up to date while the page is seen. */
export function useRecorded(id: string): Recorded & { readonly reload: () => void } {
  const [state, setState] = useState(NOTHING);
  const [asked, setAsked] = useState(0);
  const back = returns.value;
  // `back` grows when the service is back.
  useEffect(() => {
    const left = new AbortController();
    void follow(id, left.signal, setState);
    return () => left.abort();
  }, [id, asked, back]);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  return { ...state, reload };
}

async function follow(
  id: string,
  signal: AbortSignal,
  set: (next: (old: Recorded) => Recorded) => void,
): Promise<void> {
  let [known, offset] = ['', 0];
  let steps: readonly TrajectoryStep[] = [];
  while (!signal.aborted) {
    let wait = IDLE_MS;
    try {
      const path = `/computers/${id}/trajectory/steps${query({ offset, limit: LIMIT })}`;
      const page = await call<TrajectorySteps>('GET', path, { signal });
      const { trajectory } = page;
      if (trajectory !== null && trajectory.id !== known && offset > 0) {
        // Another one has begun: its lines are read from the first.
        [known, offset, steps] = [trajectory.id, 0, []];
        continue;
      }
      known = trajectory?.id ?? '';
      offset = page.next_offset;
      steps = trajectory === null ? [] : inOrder(steps, page.steps);
      const read = { trajectory, steps, failure: undefined };
      set(() => read);
      if (page.steps.length > 0) continue;
      if (trajectory?.status === 'recording') wait = RECORDING_MS;
    } catch (error) {
      if (signal.aborted) return;
      set((old) => ({ ...old, failure: asFailure(error) }));
    }
    do await pause(wait, signal);
    while (!isVisible.value && !signal.aborted);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
