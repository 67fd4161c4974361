import type { Project, Secret } from '../../api/types.js';
import { Field, given } from '../../components/forms/field.js';
import { FormDialog } from '../../components/forms/form-dialog.js';
import { tell } from '../../state/notices.js';

interface SecretDialog<Of> {
  readonly of: Of;
  readonly project: Project;
  /** Of the project's secrets. */
  readonly path: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sets a new secret, or the value of one. */
export function SetSecret({ of, project, path, ...on }: SecretDialog<Secret | undefined>) {
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

export function DeleteSecret({ of: { name }, project, path, ...on }: SecretDialog<Secret>) {
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
