import { useLocation } from 'preact-iso';
import type { Computer, Image, WallComputer } from '../../api/types.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { noteComputer } from '../../state/wall.js';
import { copyNames, forkIntent, imageIntent } from './copies.js';

interface CopyProps {
  readonly computer: Computer;
  /** Without it the computer as it is now. */
  readonly snapshot?: string;
  readonly onClose: () => void;
}

const MOST = 16;

/** Makes one or several copies, and shows them. */
export function ForkDialog({ computer, snapshot, onClose }: CopyProps) {
  const { route } = useLocation();
  const from = snapshot === undefined ? '' : `@${snapshot}`;
  return (
    <FormDialog<WallComputer | { computers: WallComputer[] }>
      title={`Fork ${computer.name}${from}`}
      submit="Fork computer"
      intent={(fields) => {
        const count = Number(given(fields, 'count') ?? '1');
        return forkIntent(computer, copyNames(given(fields, 'name') ?? '', count), snapshot);
      }}
      onDone={(answer) => {
        const copies = 'computers' in answer ? answer.computers : [answer];
        copies.forEach(noteComputer);
        onClose();
        const [copy] = copies;
        if (copies.length === 1 && copy !== undefined) route(`/computers/${copy.id}`);
        else route(`/computers?project=${encodeURIComponent(computer.project_name)}`);
      }}
      onClose={onClose}
    >
      <Field label="Name of the copy" name="name" required maxLength={125} />
      <Field
        label="Copies"
        name="count"
        type="number"
        min={1}
        max={MOST}
        value={1}
        required
        hint="Several are named NAME-1, NAME-2, and so on. All of them are made, or none."
      />
      <p class="muted">With its disk, and where the engine can, with its running programs.</p>
    </FormDialog>
  );
}

/** Saves an image to make computers from. */
export function SaveImageDialog({ computer, snapshot, onClose }: CopyProps) {
  const from = snapshot === undefined ? '' : `@${snapshot}`;
  return (
    <FormDialog<Image>
      title={`Save ${computer.name}${from} as an image`}
      submit="Save image"
      intent={(fields) => imageIntent(computer, given(fields, 'name') ?? '', snapshot)}
      onDone={({ name }) => {
        tell(`Image ${name} saved`);
        onClose();
      }}
      onClose={onClose}
    >
      <Field
        label="Name of the image"
        name="name"
        required
        maxLength={63}
        pattern="[a-z0-9][a-z0-9._\-]*"
        hint="a–z, 0–9, ., _ and -. One of your own of the same name is replaced."
      />
      <p class="muted">Computers that are made from it have this disk, and boot anew.</p>
    </FormDialog>
  );
}
