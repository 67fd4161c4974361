import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrajectoryStep } from '../../../api/types.js';
import { lastDue } from '../model/order.js';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 200;

export interface Player {
  readonly isOn: boolean;
  /** Seconds since the start of the recording; undefined while it does not play. */
  readonly time: number | undefined;
  readonly toggle: () => void;
  readonly stop: () => void;
}

/** Selects one step after the other at the times at which they were recorded. */
export function usePlayer(
  steps: readonly TrajectoryStep[],
  { at, speed, select }: { at: number; speed: number; select: (at: number) => void },
): Player {
  const [isOn, setOn] = useState(false);
  const [time, setTime] = useState<number>();
  // More steps may come while it plays.
  const current = useRef({ steps, at, select });
  current.current = { steps, at, select };
  useEffect(() => {
    if (!isOn) return undefined;
    const began = performance.now();
    const from = current.current.steps[current.current.at]?.at ?? 0;
    const timer = setInterval(() => {
      const { steps: all, at: shown, select: show } = current.current;
      const now = from + ((performance.now() - began) / 1000) * speed;
      const due = lastDue(all, shown, now);
      setTime(now);
      if (due !== shown) show(due);
      if (due >= all.length - 1) setOn(false);
    }, TICK_MS);
    return () => {
      clearInterval(timer);
      setTime(undefined);
    };
  }, [isOn, speed]);
  const toggle = () => {
    // From the beginning again when it is at its end.
    if (!isOn && at >= steps.length - 1) select(0);
    setOn(!isOn);
  };
  return { isOn, time, toggle, stop: () => setOn(false) };
}
