import { useState } from 'preact/hooks';
import { quote } from '../../api/commands.js';
import type { Computer, TrajectoryStep } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Copy } from '../../components/forms/copy.js';
import { Icon } from '../../components/icon.js';
import { may } from '../../state/session.js';
import { StartDialog } from './dialogs.js';
import { replayCommands } from './model/commands.js';
import { useRecorded } from './recorded.js';
import { Summary } from './summary.js';
import { addressed } from './viewer/selected.js';
import { Viewer } from './viewer/viewer.js';

/** The recorded actions of a computer. */
export function Trajectory({ computer }: { computer: Computer }) {
  const { trajectory, steps, failure, reload } = useRecorded(computer.id);
  // That of the address at first; the address follows what is shown.
  const [{ run }] = useState(addressed);
  return (
    <div class="page trajectory">
      <FailureNote failure={failure} />
      {trajectory === undefined && failure === undefined && <p class="muted">Loading…</p>}
      {trajectory === null && <Nothing computer={computer} onStart={reload} />}
      {trajectory && (
        <>
          {run !== null && run !== trajectory.id && (
            <p class="muted">
              The trajectory of this address is gone. This is a later one of the same computer.
            </p>
          )}
          <Summary computer={computer} trajectory={trajectory} onChange={reload} />
          {steps.length === 0 ? (
            <Empty title="No steps yet">
              {trajectory.status === 'recording' &&
                'The next action over the HTTP interface is shown.'}
            </Empty>
          ) : (
            <>
              <Viewer
                key={trajectory.id}
                computer={computer}
                trajectory={trajectory}
                steps={steps}
              />
              {may.value('act') && <Replay computer={computer} steps={steps} />}
            </>
          )}
        </>
      )}
    </div>
  );
}

function Nothing({ computer, onStart }: { computer: Computer; onStart: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const address = quote(`${computer.project_name}/${computer.name}`);
  return (
    <Empty title="Nothing was recorded">
      <p>A trajectory has every action of an agent, with the screen before and after it.</p>
      {may.value('act') && (
        <>
          <Commands lines={[`vc computer record-run ${address} trajectory -- python3 agent.py`]} />
          <button
            type="button"
            class="primary"
            disabled={computer.status !== 'running'}
            onClick={() => setOpen(true)}
          >
            <Icon name="record" />
            Record…
          </button>
        </>
      )}
      {isOpen && (
        <StartDialog
          computer={computer}
          replaces={false}
          onDone={() => {
            setOpen(false);
            onStart();
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Empty>
  );
}

/** The commands that carry out the steps again. */
function Replay({ computer, steps }: { computer: Computer; steps: readonly TrajectoryStep[] }) {
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
