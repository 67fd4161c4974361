import { call } from '../../api/http.js';
import type { CreatedWebhook, Delivery, Lists, Webhook } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Copy } from '../../components/forms/copy.js';
import { Dialog, Done } from '../../components/forms/dialog.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { useData } from '../../state/use-data.js';

interface Closing {
  readonly onClose: () => void;
}

type CreateProps = Closing & { readonly onDone: (created: CreatedWebhook) => void };

export function CreateWebhook({ onDone, onClose }: CreateProps) {
  return (
    <FormDialog<CreatedWebhook>
      title="New webhook"
      submit="Create webhook"
      intent={(fields) => {
        const url = given(fields, 'url') ?? '';
        const events = (given(fields, 'events') ?? '').split(/[\s,]+/).filter(Boolean);
        return { method: 'POST', path: '/webhooks', body: { url, events } };
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label="Address" name="url" required placeholder="https://app.example.com/hooks/vc" />
      <Field
        label="Events"
        name="events"
        required
        value="*"
        hint="Types with spaces between, such as computer.* job.exited; * stands for all."
      />
    </FormDialog>
  );
}

/** The secret of a new webhook, the only time that it is shown. */
export function WebhookSecret({ created, onClose }: Closing & { created: CreatedWebhook }) {
  return (
    <Dialog title="The secret of the webhook" onClose={onClose}>
      <p>The target checks signatures with it. Copy it now. It is shown only this once.</p>
      <section class="once" aria-label="Secret">
        <code class="break">{created.secret}</code>
        <Copy text={() => created.secret}>Copy secret</Copy>
      </section>
      <Done onClose={onClose} />
    </Dialog>
  );
}

type DeleteProps = Closing & { readonly of: Webhook; readonly onDone: () => void };

export function DeleteWebhook({ of: { id, url }, onDone, onClose }: DeleteProps) {
  return (
    <FormDialog
      title={`Delete the webhook ${url}?`}
      submit="Delete webhook"
      danger
      intent={() => ({ method: 'DELETE', path: `/webhooks/${id}`, vc: ['webhook', 'rm', id] })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Nothing more is posted to it, and its deliveries are no longer listed.</p>
    </FormDialog>
  );
}

/** The newest deliveries of a webhook. */
export function Deliveries({ of: { id, url }, onClose }: Closing & { of: Webhook }) {
  const { value, failure } = useData(`deliveries ${id}`, (signal) =>
    call<Lists['deliveries']>('GET', `/webhooks/${id}/deliveries`, { signal }),
  );
  return (
    <Dialog title={`Deliveries to ${url}`} onClose={onClose}>
      <FailureNote failure={failure} />
      {value?.deliveries.length === 0 && <p class="muted">Nothing was posted yet.</p>}
      {value !== undefined && value.deliveries.length > 0 && (
        <Table columns={['Event', 'Result']}>
          {value.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} of={delivery} />
          ))}
        </Table>
      )}
      <Done onClose={onClose} />
    </Dialog>
  );
}

function DeliveryRow({
  of: { type, at, status, attempts, error, next_attempt_at },
}: {
  of: Delivery;
}) {
  return (
    <tr>
      <th scope="row">
        {type}
        <p class="muted">
          <Time at={at} />
        </p>
      </th>
      <td>
        <span class={status === 'failed' ? 'outcome bad' : 'muted'}>{status}</span>
        {attempts > 1 && ` after ${attempts} attempts`}
        {error !== null && `: ${error}`}
        {next_attempt_at !== null && attempts > 0 && (
          <>
            {' '}
            Again <Time at={next_attempt_at} />
          </>
        )}
      </td>
    </tr>
  );
}
