import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, Project, Secret } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { tell } from '../../state/notices.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';

type Open = { readonly kind: 'set' | 'delete'; readonly of?: Secret };

/** The secrets of a project, by their names: the values are never shown. */
export function Secrets({ project }: { project: Project }) {
  const path = `/projects/${encodeURIComponent(project.id)}/secrets`;
  const { value, failure, reload } = useData(path, (signal) =>
    call<Lists['secrets']>('GET', path, { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const canManage = may.value('manage');
  const secrets = value?.secrets ?? [];
  const dialog = {
    project,
    path,
    onDone: () => {
      setOpen(undefined);
      reload();
    },
    onClose: () => setOpen(undefined),
  };
  return (
    <section aria-labelledby="secrets">
      <header class="head">
        <div>
          <h2 id="secrets">Secrets</h2>
          <p class="muted">Values that can be typed into its computers, and are never shown.</p>
        </div>
        {canManage && (
          <button type="button" class="primary" onClick={() => setOpen({ kind: 'set' })}>
            <Icon name="plus" />
            New secret
          </button>
        )}
      </header>
      <FailureNote failure={failure} />
      {value !== undefined && secrets.length === 0 && (
        <Empty title="No secrets yet">
          <p>Set one here, or with the command line:</p>
          <Commands lines={[`vc secret set SHOP_PASSWORD -p ${project.name}`]} />
        </Empty>
      )}
      {secrets.length > 0 && (
        <Table columns={['Name', 'Created', 'Changed', ACTIONS]}>
          {secrets.map((secret) => (
            <tr key={secret.name}>
              <th scope="row">{secret.name}</th>
              <td>
                <Time at={secret.created_at} />
              </td>
              <td>
                <Time at={secret.updated_at} />
              </td>
              <RowActions of={secret.name} may={canManage}>
                <Item onClick={() => setOpen({ kind: 'set', of: secret })}>Replace…</Item>
                <Item danger onClick={() => setOpen({ kind: 'delete', of: secret })}>
                  Delete…
                </Item>
              </RowActions>
            </tr>
          ))}
        </Table>
      )}
      {open?.kind === 'set' && <SetSecret of={open.of} {...dialog} />}
      {open?.kind === 'delete' && open.of && <DeleteSecret {...dialog} of={open.of} />}
    </section>
  );
}

interface SecretDialog<Of> {
  readonly of: Of;
  readonly project: Project;
  /** Of the project's secrets. */
  readonly path: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sets a new secret, or the value of one. */
function SetSecret({ of, project, path, ...on }: SecretDialog<Secret | undefined>) {
  const nameOf = (fields: FormData) => of?.name ?? given(fields, 'name') ?? '';
  return (
    <FormDialog<Secret>
      title={of === undefined ? 'New secret' : `Replace ${of.name}`}
      submit="Set secret"
      intent={(fields) => ({
        method: 'PUT',
        path: `${path}/${encodeURIComponent(nameOf(fields))}`,
        body: { value: given(fields, 'value') ?? '' },
        // It asks for the value.
        vc: ['secret', 'set', nameOf(fields), '-p', project.name],
      })}
      onDone={({ name }) => {
        tell(`Secret ${name} set`);
        on.onDone();
      }}
      onClose={on.onClose}
    >
      {of === undefined && (
        <Field
          label="Name"
          name="name"
          required
          maxLength={64}
          hint="Letters, digits, _ and -, up to 64. One of the same name is replaced."
        />
      )}
      <Field
        label="Value"
        name="value"
        type="password"
        required
        maxLength={10_000}
        hint="It is never shown again."
      />
    </FormDialog>
  );
}

function DeleteSecret({ of: { name }, project, path, ...on }: SecretDialog<Secret>) {
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit="Delete secret"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `${path}/${encodeURIComponent(name)}`,
        vc: ['secret', 'rm', name, '-p', project.name],
      })}
      onDone={() => {
        tell(`Secret ${name} deleted`);
        on.onDone();
      }}
      onClose={on.onClose}
    >
      <p>Texts that name it can no longer be typed. Its value cannot be shown again.</p>
    </FormDialog>
  );
}
