import { useEffect, useRef, useState } from 'preact/hooks';
import type { Computer, Trajectory, TrajectoryStep } from '../../../api/types.js';
import { clock } from '../model/clock.js';
import { inputOf, pointerAfter } from '../model/points.js';
import { detailsOf, inWords, outcomeOf, textOf } from '../model/sentences.js';
import { Controls } from './controls.js';
import { forgetPictures, loadPicture } from './pictures.js';
import { usePlayer } from './player.js';
import { useSelected } from './selected.js';
import { Shot } from './shot.js';

interface ViewerProps {
  readonly computer: Computer;
  readonly trajectory: Trajectory;
  /** At least one. */
  readonly steps: readonly TrajectoryStep[];
}

/** The selected step with its pictures, and the way to the others. */
export function Viewer({ computer, trajectory, steps }: ViewerProps) {
  const [speed, setSpeed] = useState(1);
  const { at, select: show, move: showOther } = useSelected(trajectory.id, steps);
  const player = usePlayer(steps, { at, speed, select: show });
  const select = (to: number) => {
    player.stop();
    show(to);
  };
  const move = (by: number) => {
    player.stop();
    showOther(by);
  };
  useStepKeys({ last: steps.length - 1, select, move, toggle: player.toggle });
  useEffect(() => forgetPictures, [trajectory.id]);
  const pathOf = (name: string | null | undefined) =>
    name ? `/computers/${computer.id}/trajectory/${name}` : undefined;
  const next = steps[at + 1];
  useEffect(() => {
    for (const path of [pathOf(next?.before), pathOf(next?.after)]) {
      if (path !== undefined) loadPicture(path).catch(() => undefined);
    }
  }, [next]);
  const step = steps[at];
  if (step === undefined) return null;
  const words = inWords(step.action);
  const input = inputOf(step.action);
  const pointer = pointerAfter(
    steps.slice(Math.max(0, at - 50), at + 1).map(({ action }) => action),
  );
  return (
    <div class="viewer">
      <section class="step" aria-labelledby="step">
        <Controls
          steps={steps}
          at={at}
          player={player}
          speed={speed}
          onSpeed={setSpeed}
          onSelect={select}
          onMove={move}
        />
        <h2 id="step" class="break" aria-live={player.isOn ? 'off' : 'polite'}>
          <span class="muted">
            {step.step} of {Math.max(trajectory.steps, steps.length)}
          </span>{' '}
          {words}
        </h2>
        <div class="shots">
          <Shot
            title="Before"
            path={pathOf(step.before)}
            description={`The screen before step ${step.step}: ${words}`}
            input={input}
            pointer={input.points.length === 0 ? pointer : undefined}
          />
          <Shot
            title="After"
            path={pathOf(step.after)}
            description={`The screen after step ${step.step}`}
            pointer={pointer}
          />
        </div>
        <StepFacts step={step} />
      </section>
      <StepList steps={steps} at={at} onSelect={select} />
    </div>
  );
}

function StepFacts({ step }: { step: TrajectoryStep }) {
  const text = textOf(step.action);
  return (
    <div class="step-facts">
      {text !== undefined && (
        // Scrolls, so the keyboard has to reach it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre class="text" tabIndex={0}>
          {text}
        </pre>
      )}
      <dl>
        {[
          ['Time', clock(step.at)],
          ['Took', `${step.took} s`],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Result</dt>
          <dd class={step.outcome === 'ok' ? '' : 'outcome bad'}>{outcomeOf(step)}</dd>
        </div>
        {detailsOf(step.action).map(([name, value]) => (
          <div key={name}>
            <dt class="break">{name}</dt>
            <dd class="break">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface StepKeys {
  readonly last: number;
  readonly select: (at: number) => void;
  readonly move: (by: number) => void;
  readonly toggle: () => void;
}

/** What has these keys for itself. */
const OWN_KEYS = 'input, select, textarea, dialog, [role="menu"]';
const PRESSED_BY_SPACE = 'button, a, summary, pre';

/** The arrow keys go to other steps, Space plays, wherever the focus is. */
function useStepKeys({ last, select, move, toggle }: StepKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, altKey, metaKey, shiftKey } = event;
      if (ctrlKey || altKey || metaKey || shiftKey || event.defaultPrevented) return;
      const on = target instanceof Element ? target : document.body;
      if (on.closest(OWN_KEYS) !== null) return;
      if (key === 'ArrowLeft') move(-1);
      else if (key === 'ArrowRight') move(1);
      else if (key === 'Home') select(0);
      else if (key === 'End') select(last);
      else if (key === ' ' && on.closest(PRESSED_BY_SPACE) === null) toggle();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** Steps that are in the page at once. */
const SHOWN = 100;

interface StepListProps {
  readonly steps: readonly TrajectoryStep[];
  readonly at: number;
  readonly onSelect: (at: number) => void;
}

/** The steps around the selected one. */
function StepList({ steps, at, onSelect }: StepListProps) {
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
