import { useEffect, useRef } from 'preact/hooks';
import type { TrajectoryStep } from '../../../api/types.js';
import { clock } from '../model/clock.js';
import { inWords, outcomeOf } from '../model/sentences.js';

/** Steps that are in the page at once. */
const SHOWN = 100;

interface StepListProps {
  readonly steps: readonly TrajectoryStep[];
  readonly at: number;
  readonly onSelect: (at: number) => void;
}

/** The steps around the selected one. */
export function StepList({ steps, at, onSelect }: StepListProps) {
  const box = useRef<HTMLOListElement>(null);
  const first = Math.floor(at / SHOWN) * SHOWN;
  const shown = steps.slice(first, first + SHOWN);
  useEffect(() => {
    const row = box.current?.children[at - first];
    if (row instanceof HTMLElement && box.current !== null) keepInView(box.current, row);
  }, [at, first]);
  return (
    <section class="step-list" aria-labelledby="all-steps">
      <h2 id="all-steps">
        {steps.length <= SHOWN
          ? 'Steps'
          : `Steps ${first + 1} to ${first + shown.length} of ${steps.length}`}
      </h2>
      <ol ref={box} class="plain">
        {shown.map((step, row) => (
          <li key={step.step}>
            <button
              type="button"
              aria-current={first + row === at ? 'step' : undefined}
              onClick={() => onSelect(first + row)}
            >
              <span class="muted">{step.step}</span>
              <span class="clip">{inWords(step.action)}</span>
              {step.outcome !== 'ok' && <span class="outcome bad">{outcomeOf(step)}</span>}
              <span class="muted">{clock(step.at)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Scrolls the list only, not the page. */
function keepInView(box: HTMLElement, row: HTMLElement): void {
  const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
