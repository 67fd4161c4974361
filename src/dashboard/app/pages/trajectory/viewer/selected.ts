import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrajectoryStep } from '../../../api/types.js';

/** Milliseconds until the address follows: browsers refuse too many changes of it. */
const ADDRESS_MS = 250;

/** The trajectory and the number of the step in the address. */
export function addressed(): { readonly run: string | null; readonly step: number } {
  const query = new URLSearchParams(location.search);
  return { run: query.get('run'), step: Number(query.get('step')) };
}

interface Selected {
  /** Its place among the steps. */
  readonly at: number;
  readonly select: (at: number) => void;
  /** Selects another one, so many places after the last that was selected. */
  readonly move: (by: number) => void;
}

/** The selected step, which is also in the address. */
export function useSelected(run: string, steps: readonly TrajectoryStep[]): Selected {
  const [wanted, setWanted] = useState(() => {
    const given = addressed();
    return given.run === null || given.run === run ? given.step : 0;
  });
  // The step of the address may not have been read yet.
  const found = steps.findLastIndex(({ step }) => step <= wanted);
  const at = Math.max(0, found);
  const number = wanted === 0 ? 1 : wanted;
  useEffect(() => {
    const timer = setTimeout(() => {
      const { pathname } = location;
      history.replaceState(null, '', `${pathname}?run=${run}&step=${number}`);
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [run, number]);
  // Keys may be pressed faster than the page is drawn.
  const latest = useRef(at);
  latest.current = at;
  const select = (to: number) => {
    latest.current = Math.max(0, Math.min(steps.length - 1, to));
    setWanted(steps[latest.current]?.step ?? 1);
  };
  return { at, select, move: (by) => select(latest.current + by) };
}
