import { useState } from 'preact/hooks';
import type { WallComputer } from '../../api/types.js';
import { Dialog } from '../../components/forms/dialog.js';
import { Icon } from '../../components/icon.js';
import { remove, start, stop } from '../../state/power.js';
import { may } from '../../state/session.js';

interface BulkBarProps {
  readonly chosen: readonly WallComputer[];
  readonly onAll: () => void;
  readonly onNone: () => void;
}

/** What can be done with the computers that are selected. */
export function BulkBar({ chosen, onAll, onNone }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false);
  const canAct = may.value('act');
  const each = (act: (computer: WallComputer) => void, status: readonly string[]) => {
    for (const computer of chosen) if (status.includes(computer.status)) act(computer);
  };
  const count = chosen.length === 1 ? '1 computer' : `${chosen.length} computers`;
  return (
    <section class="bulk" aria-label="Selected computers">
      <strong>{chosen.length} selected</strong>
      <button type="button" class="small ghost" onClick={onAll}>
        All
      </button>
      <button type="button" class="small ghost" onClick={onNone}>
        None
      </button>
      <span class="gap" />
      <button type="button" disabled={!canAct} onClick={() => each(start, ['stopped', 'error'])}>
        <Icon name="start" />
        Start
      </button>
      <button type="button" disabled={!canAct} onClick={() => each(stop, ['running', 'starting'])}>
        <Icon name="stop" />
        Stop
      </button>
      {may.value('manage') && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" />
          Delete
        </button>
      )}
      {isAsking && (
        <Dialog title={`Delete ${count}?`} onClose={() => setAsking(false)}>
          <p>Everything on their disks is lost. This cannot be undone.</p>
          <ul class="plain lost">
            {chosen.map(({ id, name, project_name }) => (
              <li class="clip" key={id}>
                {project_name}/{name}
              </li>
            ))}
          </ul>
          <footer>
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              data-first
              onClick={() => {
                for (const computer of chosen) remove(computer);
                setAsking(false);
                onNone();
              }}
            >
              Delete {count}
            </button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
