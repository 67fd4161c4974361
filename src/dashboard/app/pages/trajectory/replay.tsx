import type { Computer, TrajectoryStep } from '../../api/types.js';
import { Commands } from '../../components/empty.js';
import { Copy } from '../../components/forms/copy.js';
import { replayCommands } from './model/commands.js';

/** The commands that carry out the steps again. */
export function Replay({
  computer,
  steps,
}: {
  computer: Computer;
  steps: readonly TrajectoryStep[];
}) {
  const lines = replayCommands(`${computer.project_name}/${computer.name}`, steps);
  return (
    <section class="replay" aria-labelledby="replay">
      <h2 id="replay">Carry it out again</h2>
      <p class="muted">
        On this computer or another one. It stops where the screen differs too much.
      </p>
      <Commands lines={lines} />
      <Copy text={() => lines.join('\n')}>Copy commands</Copy>
    </section>
  );
}
