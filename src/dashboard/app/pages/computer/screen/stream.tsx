import { call } from '../../../api/http.js';
import type { Computer, Lists, StreamStatus } from '../../../api/types.js';
import { FailureNote } from '../../../components/failure.js';
import { Dialog } from '../../../components/forms/dialog.js';
import { Choice } from '../../../components/forms/field.js';
import { given } from '../../../components/forms/given.js';
import { IntentForm } from '../../../components/forms/intent-form.js';
import { exactTime } from '../../../components/time.js';
import { useData } from '../../../state/use-data.js';
import { isHealthy, troubleOf } from '../../streams/trouble.js';

/** Starts and stops streaming the screen to a saved target. */
export function StreamDialog({ computer, onClose }: { computer: Computer; onClose: () => void }) {
  const path = `/computers/${computer.id}/stream`;
  const address = `${computer.project_name}/${computer.name}`;
  const { value, failure, reload } = useData(`stream ${computer.id}`, async (signal) => ({
    status: await call<StreamStatus>('GET', `${path}/status`, { signal }),
    ...(await call<Lists['connections']>('GET', '/connections', { signal })),
  }));
  const isOn = value?.status.status === 'streaming';
  const targets = value?.connections.map(({ name }) => ({ value: name, text: name })) ?? [];
  return (
    <Dialog title="Stream the screen" onClose={onClose}>
      <FailureNote failure={failure} />
      {!isOn && value?.status.message !== undefined && <p class="break">{value.status.message}</p>}
      {isOn && (
        <IntentForm
          submit="Stop streaming"
          intent={() => ({
            method: 'POST',
            path: `${path}/stop`,
            vc: ['computer', 'stream', 'stop', address],
          })}
          onDone={reload}
          onCancel={onClose}
        >
          <p>
            {isHealthy(value.status)
              ? `Streaming since ${exactTime(value.status.start_time ?? '')}.`
              : troubleOf(value.status)}
          </p>
        </IntentForm>
      )}
      {value !== undefined && !isOn && targets.length === 0 && (
        <p>
          There is no target yet. <a href="/streams">Add one</a>, then stream to it from here.
        </p>
      )}
      {value !== undefined && !isOn && targets.length > 0 && (
        <IntentForm
          submit="Start streaming"
          intent={(fields) => {
            const connection_name = given(fields, 'connection') ?? '';
            return { method: 'POST', path: `${path}/start`, body: { connection_name } };
          }}
          onDone={reload}
          onCancel={onClose}
        >
          <Choice label="Target" name="connection" options={targets} />
        </IntentForm>
      )}
    </Dialog>
  );
}
