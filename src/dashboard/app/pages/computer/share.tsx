import { useState } from 'preact/hooks';
import type { Computer, CreatedKey } from '../../api/types.js';
import { inSeconds, SOON } from '../../components/forms/computer-options.js';
import { Copy } from '../../components/forms/copy.js';
import { Dialog, Done } from '../../components/forms/dialog.js';
import { Choice, Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';

const RIGHTS = [
  { value: 'look', text: 'watch' },
  { value: 'act', text: 'watch and use it' },
];
/** Longest suggestion for the name of a key. */
const MOST_NAME = 64;

interface ShareProps {
  readonly computer: Computer;
  readonly onClose: () => void;
}

/** Makes a key with which another person sees the computer for a while. */
export function ShareDialog({ computer, onClose }: ShareProps) {
  const [created, setCreated] = useState<CreatedKey>();
  const { name, project_id, project_name } = computer;
  if (created !== undefined) {
    return <Invitation computer={computer} created={created} onClose={onClose} />;
  }
  return (
    <FormDialog<CreatedKey>
      title={`Share ${name}`}
      submit="Create key"
      intent={(fields) => ({
        method: 'POST',
        path: '/keys',
        body: {
          name: given(fields, 'name') ?? '',
          rights: given(fields, 'rights') ?? 'look',
          project: project_id,
          expires_at: inSeconds(given(fields, 'seconds')),
        },
      })}
      onDone={setCreated}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={MOST_NAME}
        value={`Guest of ${name}`.slice(0, MOST_NAME)}
        hint="Shown while they watch, and in the activity."
      />
      <div class="columns">
        <Choice label="They may" name="rights" value="look" options={RIGHTS} />
        <Choice label="Ends" name="seconds" value="28800" options={SOON} />
      </div>
      <p class="muted">
        The key is for all computers of the project <bdi>{project_name}</bdi>. The page Keys lists
        it and revokes it.
      </p>
    </FormDialog>
  );
}

/** What to send: the key is not in the address, which browsers and proxies write down. */
function Invitation({ computer, created, onClose }: ShareProps & { created: CreatedKey }) {
  const address = new URL(`/computers/${computer.id}`, location.href).href;
  const lines = [
    { name: 'Address', text: address },
    { name: 'Key', text: created.key },
  ];
  return (
    <Dialog title={`Share ${computer.name}`} onClose={onClose}>
      <p>
        Send both. Your guest opens the address and enters the key, which is shown only this once.
      </p>
      {lines.map(({ name, text }) => (
        <section class="once" key={name} aria-label={name}>
          <h3>{name}</h3>
          <code class="break">{text}</code>
          <Copy text={() => text}>{`Copy ${name.toLowerCase()}`}</Copy>
        </section>
      ))}
      <Done onClose={onClose} />
    </Dialog>
  );
}
