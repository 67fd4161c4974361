import { call } from '../../api/http.js';
import type { Health, Volume } from '../../api/types.js';
import { Choice, Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { useData } from '../../state/use-data.js';
import { usersOf } from '../images/users.js';

interface DialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function CreateVolume({ onDone, onClose }: DialogProps) {
  const { value } = useData('health', (signal) => call<Health>('GET', '/health', { signal }));
  const engines = value?.engines.map(({ name }) => ({ value: name, text: name })) ?? [];
  return (
    <FormDialog<Volume>
      title="New volume"
      submit="Create volume"
      intent={(fields) => {
        const [name = '', engine] = [given(fields, 'name'), given(fields, 'engine')];
        const body = { name, ...(engine === undefined ? {} : { engine }) };
        const vc = [
          'volume',
          'create',
          name,
          ...(engine === undefined ? [] : ['--engine', engine]),
        ];
        return { method: 'POST', path: '/volumes', body, vc };
      }}
      onDone={({ name }) => {
        tell(`Volume ${name} created`);
        onDone();
      }}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={63} />
      <Choice
        label="Engine"
        name="engine"
        value=""
        options={[{ value: '', text: 'preferred' }, ...engines]}
        hint="Only its computers can mount it."
      />
    </FormDialog>
  );
}

export function DeleteVolume({ of: volume, onDone, onClose }: DialogProps & { of: Volume }) {
  const { name, used_by } = volume;
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit="Delete volume"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `/volumes/${encodeURIComponent(name)}`,
        vc: ['volume', 'rm', name],
      })}
      onDone={() => {
        tell(`Volume ${name} deleted`);
        onDone();
      }}
      onClose={onClose}
    >
      {used_by === 0 ? (
        <p>No computer mounts it. Its files are deleted; this cannot be undone.</p>
      ) : (
        <p>Mounted by {usersOf(volume)}. It can be deleted when there are none.</p>
      )}
    </FormDialog>
  );
}
