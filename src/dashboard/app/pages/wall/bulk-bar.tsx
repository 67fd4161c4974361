import { useState } from 'preact/hooks';
import type { WallComputer } from '../../api/types.js';
import { Dialog, Lost } from '../../components/forms/dialog.js';
import { Confirmation } from '../../components/forms/field.js';
import { Icon, type IconName } from '../../components/icon.js';
import { type Power, perform } from '../../state/power.js';
import { may } from '../../state/session.js';
import { RunCommand } from './run-command.js';

interface BulkBarProps {
  readonly chosen: readonly WallComputer[];
  readonly onAll: () => void;
  /** Selects none. */
  readonly onClose: () => void;
}

/** What can be done with the computers that are selected. */
export function BulkBar({ chosen, onAll, onClose }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const canAct = may.value('act');
  const those = (...status: string[]) => chosen.filter((each) => status.includes(each.status));
  const buttons: readonly { power: Power & IconName; name: string; of: WallComputer[] }[] = [
    { power: 'start', name: 'Start', of: those('stopped', 'error') },
    { power: 'stop', name: 'Stop', of: those('running', 'starting') },
  ];
  const count = chosen.length === 1 ? '1 computer' : `${chosen.length} computers`;
  return (
    <section class="bulk" aria-label="Selected computers">
      <strong>{chosen.length} selected</strong>
      <button type="button" class="small ghost" onClick={onAll}>
        All
      </button>
      <button type="button" class="small ghost" onClick={onClose}>
        None
      </button>
      <span class="gap" />
      {buttons.map(({ power, name, of }) => (
        <button
          key={power}
          type="button"
          disabled={!canAct || of.length === 0}
          onClick={() => void perform(power, of)}
        >
          <Icon name={power} />
          {name}
        </button>
      ))}
      <button
        type="button"
        disabled={!canAct || those('running').length === 0}
        onClick={() => setRunning(true)}
      >
        <Icon name="terminal" />
        Run a command
      </button>
      {isRunning && <RunCommand chosen={those('running')} onClose={() => setRunning(false)} />}
      {may.value('manage') && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" />
          Delete
        </button>
      )}
      {isAsking && (
        <Dialog title={`Delete ${count}?`} onClose={() => setAsking(false)}>
          <p>Everything on their disks is lost. This cannot be undone.</p>
          <Lost names={chosen.map(({ name, project_name }) => `${project_name}/${name}`)} />
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void perform('delete', chosen);
              setAsking(false);
              onClose();
            }}
          >
            {chosen.length > 1 && <Confirmation of={String(chosen.length)} />}
            <footer>
              <button type="button" data-first onClick={() => setAsking(false)}>
                Cancel
              </button>
              <button type="submit" class="danger">
                Delete {count}
              </button>
            </footer>
          </form>
        </Dialog>
      )}
    </section>
  );
}
