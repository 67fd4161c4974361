import type { Connection } from '../../api/types.js';
import { Field, given } from '../../components/forms/field.js';
import { FormDialog } from '../../components/forms/form-dialog.js';

interface Closing {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function AddTarget({ onDone, onClose }: Closing) {
  return (
    <FormDialog
      title="New target"
      submit="Add target"
      intent={(fields) => {
        const [name, url] = [given(fields, 'name') ?? '', given(fields, 'url') ?? ''];
        const stream_key = given(fields, 'stream_key');
        const body = { name, url, ...(stream_key === undefined ? {} : { stream_key }) };
        return { method: 'POST', path: '/connections', body };
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} />
      <Field label="Address" name="url" required placeholder="rtmps://example.com/app" />
      <Field label="Stream key" name="stream_key" type="password" hint="It is never shown again." />
    </FormDialog>
  );
}

export function DeleteTarget({ of: { name }, onDone, onClose }: Closing & { of: Connection }) {
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit="Delete target"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `/connections/${encodeURIComponent(name)}`,
        vc: ['connection', 'rm', name],
      })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Streams that run to it continue.</p>
    </FormDialog>
  );
}
