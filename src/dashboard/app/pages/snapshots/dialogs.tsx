import type { Computer, Snapshot, WallComputer } from '../../api/types.js';
import { Field, Tick } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { noteComputer } from '../../state/wall.js';

interface DialogProps {
  readonly computer: Computer;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const pathOf = ({ id }: Computer) => `/computers/${id}`;
/** Only a virtual machine is saved with its memory. */
const isVirtual = ({ isolation }: Computer) => isolation !== 'container';
const addressOf = ({ project_name, name }: Computer) => `${project_name}/${name}`;

export function CreateSnapshot({ computer, onDone, onClose }: DialogProps) {
  return (
    <FormDialog<Snapshot>
      title={`New snapshot of ${computer.name}`}
      submit="Create snapshot"
      intent={(fields) => {
        const name = given(fields, 'name');
        const isWithout = isVirtual(computer) && !fields.has('memory');
        const words = name === undefined ? [] : [name];
        return {
          method: 'POST',
          path: `${pathOf(computer)}/snapshots`,
          body: { ...(name === undefined ? {} : { name }), ...(isWithout && { memory: false }) },
          ...(!isWithout && { vc: ['snapshot', 'create', addressOf(computer), ...words] }),
        };
      }}
      onDone={({ name }) => {
        tell(`Snapshot ${name} created`);
        onDone();
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        maxLength={63}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        hint="Letters, digits, ., _ and -. Empty: snap-1, snap-2, and so on."
      />
      {isVirtual(computer) && (
        <Tick name="memory" checked>
          With its memory
        </Tick>
      )}
      <p class="muted">
        The computer keeps running. What is in /tmp is not saved
        {!isVirtual(computer) && ', and open programs are not'}.
      </p>
    </FormDialog>
  );
}

/** Goes back to a snapshot, or to the moment after the creation. */
export function ResetDialog({ of, computer, ...on }: DialogProps & { of: Snapshot | undefined }) {
  const name = addressOf(computer);
  const target = of === undefined ? 'the moment after its creation' : of.name;
  return (
    <FormDialog<WallComputer>
      title={`Reset ${computer.name} to ${target}?`}
      submit="Reset computer"
      danger
      intent={() => ({
        method: 'POST',
        path: `${pathOf(computer)}/reset?wait=0`,
        body: of === undefined ? {} : { snapshot: of.name },
        vc: ['reset', name, ...(of === undefined ? [] : [of.name])],
      })}
      onDone={(changed) => {
        noteComputer(changed);
        tell(`${name} goes back to ${target}`);
        on.onDone();
      }}
      onClose={on.onClose}
    >
      <p>
        What was done since is lost, and what runs in it ends. Its name, address and snapshots stay.
      </p>
    </FormDialog>
  );
}

export function DeleteSnapshot({ of, computer, ...on }: DialogProps & { of: Snapshot }) {
  return (
    <FormDialog
      title={`Delete ${of.name}?`}
      submit="Delete snapshot"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `${pathOf(computer)}/snapshots/${encodeURIComponent(of.name)}`,
        vc: ['snapshot', 'rm', addressOf(computer), of.name],
      })}
      onDone={() => {
        tell(`Snapshot ${of.name} deleted`);
        on.onDone();
      }}
      onClose={on.onClose}
    >
      <p>Snapshots that were made after it, and the computer, stay as they are.</p>
    </FormDialog>
  );
}
