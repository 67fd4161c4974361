import { useEffect, useState } from 'preact/hooks';
import type { Computer, Trajectory, TrajectoryStep } from '../../../api/types.js';
import { clock } from '../model/clock.js';
import { inputOf, pointerAfter } from '../model/points.js';
import { detailsOf, inWords, outcomeOf, textOf } from '../model/sentences.js';
import { Controls } from './controls.js';
import { forgetPictures, loadPicture } from './pictures.js';
import { usePlayer } from './player.js';
import { useSelected } from './selected.js';
import { Shot } from './shot.js';
import { useStepKeys } from './step-keys.js';
import { StepList } from './step-list.js';

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
          steps={steps} at={at} player={player} speed={speed}
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
