import { useState } from 'preact/hooks';
import { call, request } from '../../api/http.js';
import type { Computer, Trajectory } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { exactTime } from '../../components/time.js';
import { tellFailure } from '../../state/notices.js';
import { formatBytes } from '../../state/paths.js';
import { save } from '../../state/save.js';
import { may } from '../../state/session.js';
import { DeleteDialog, StartDialog } from './dialogs.js';
import { clock } from './model/clock.js';

/** What the service answers an archive as. */
const TAR = 'application/x-tar';

const ENDS: Readonly<Record<string, string>> = {
  limit: 'ended at a limit',
  key: 'ended with its key',
  computer: 'ended when the computer stopped',
  service: 'ended with the service',
  failure: 'ended by a failure',
};

interface SummaryProps {
  readonly computer: Computer;
  readonly trajectory: Trajectory;
  readonly onChange: () => void;
}

/** When it was recorded and by whom, and what can be done with it. */
export function Summary({ computer, trajectory, onChange }: SummaryProps) {
  const [open, setOpen] = useState<'start' | 'delete'>();
  const isRecording = trajectory.status === 'recording';
  const close = () => setOpen(undefined);
  const changed = () => {
    close();
    onChange();
  };
  return (
    <div class="summary">
      <p>
        <span class="status" data-status={isRecording ? 'error' : 'stopped'}>
          <span class="dot" aria-hidden="true" />
          {isRecording ? 'recording' : 'recorded'}
        </span>{' '}
        <span class="muted break">{facts(trajectory).join(' · ')}</span>
      </p>
      {trajectory.message !== undefined && <p class="muted break">{trajectory.message}</p>}
      {may.value('act') && (
        <div class="actions">
          {isRecording ? (
            <button type="button" class="primary" onClick={() => void end(computer, onChange)}>
              <Icon name="stop" />
              End recording
            </button>
          ) : (
            <button
              type="button"
              disabled={computer.status !== 'running'}
              onClick={() => setOpen('start')}
            >
              <Icon name="record" />
              Record again…
            </button>
          )}
          <button type="button" onClick={() => void download(computer)}>
            <Icon name="download" />
            Download
          </button>
          <button type="button" onClick={() => setOpen('delete')}>
            <Icon name="trash" />
            Delete…
          </button>
        </div>
      )}
      {open === 'start' && (
        <StartDialog computer={computer} replaces onDone={changed} onClose={close} />
      )}
      {open === 'delete' && <DeleteDialog computer={computer} onDone={changed} onClose={close} />}
    </div>
  );
}

function facts(trajectory: Trajectory): string[] {
  const { started_at, started_by, ended_at, end_reason, steps, bytes } = trajectory;
  const ended = ended_at === null ? Date.now() : Date.parse(ended_at);
  return [
    exactTime(started_at),
    ...(started_by === null ? [] : [`by ${started_by}`]),
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    clock((ended - Date.parse(started_at)) / 1000),
    formatBytes(bytes),
    ...(ENDS[end_reason ?? ''] === undefined ? [] : [ENDS[end_reason ?? ''] ?? '']),
  ];
}

async function end({ id, name }: Computer, onChange: () => void): Promise<void> {
  try {
    await call('POST', `/computers/${id}/trajectory/end`);
    onChange();
  } catch (error) {
    tellFailure(`Could not end the recording of ${name}`, error);
  }
}

async function download({ id, name }: Computer): Promise<void> {
  try {
    const archive = await request('GET', `/computers/${id}/trajectory`, { accept: TAR });
    save(`${name}-trajectory.tar`, await archive.blob());
  } catch (error) {
    tellFailure('Could not download the trajectory', error);
  }
}
