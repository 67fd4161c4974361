import type { TrajectoryStep } from '../../../api/types.js';
import { Icon, type IconName } from '../../../components/icon.js';
import { clock } from '../model/clock.js';
import { inWords } from '../model/sentences.js';
import type { Player } from './player.js';

const SPEEDS = [1, 2, 5, 20];

interface ControlsProps {
  readonly steps: readonly TrajectoryStep[];
  readonly at: number;
  readonly player: Player;
  readonly speed: number;
  readonly onSpeed: (speed: number) => void;
  readonly onSelect: (at: number) => void;
  readonly onMove: (by: number) => void;
}

/** Goes through the steps, or plays them. */
export function Controls(props: ControlsProps) {
  const { steps, at, player, speed, onSpeed, onSelect, onMove } = props;
  const step = steps[at];
  const end = steps.at(-1)?.at ?? 0;
  const says = step === undefined ? '' : `Step ${step.step}: ${inWords(step.action)}`;
  return (
    <div class="player" role="toolbar" aria-label="Steps">
      <Button name="Previous step" icon="left" off={at === 0} onClick={() => onMove(-1)} />
      <Button
        name={player.isOn ? 'Pause' : 'Play'}
        icon={player.isOn ? 'pause' : 'start'}
        off={steps.length < 2}
        onClick={player.toggle}
      />
      <Button
        name="Next step"
        icon="right"
        off={at >= steps.length - 1}
        onClick={() => onMove(1)}
      />
      <input
        type="range"
        min={1}
        max={steps.length}
        value={at + 1}
        aria-label="Step"
        aria-valuetext={says}
        onInput={(event) => onSelect(Number(event.currentTarget.value) - 1)}
      />
      <span class="clock">
        {clock(player.time ?? step?.at ?? 0)} <span class="muted">/ {clock(end)}</span>
      </span>
      <select
        aria-label="Speed"
        value={speed}
        onChange={(event) => onSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((each) => (
          <option key={each} value={each}>
            {`${each}×`}
          </option>
        ))}
      </select>
    </div>
  );
}

interface ButtonProps {
  readonly name: string;
  readonly icon: IconName;
  readonly off: boolean;
  readonly onClick: () => void;
}

/** It keeps the focus when there is no further step. */
function Button({ name, icon, off, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class="square"
      aria-label={name}
      title={name}
      aria-disabled={off}
      onClick={() => off || onClick()}
    >
      <Icon name={icon} />
    </button>
  );
}
