import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { CreatedWebhook, Delivery, Lists, Webhook } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { tell, tellFailure } from '../../state/notices.js';
import { useData } from '../../state/use-data.js';
import { CreateWebhook, DeleteWebhook, Deliveries, WebhookSecret } from './dialogs.js';

/** The dialog that is open. */
type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'deliveries' | 'delete'; readonly of: Webhook };

/** Targets to which events are posted. */
export function Webhooks() {
  const { value, failure, reload } = useData('webhooks', (signal) =>
    call<Lists['webhooks']>('GET', '/webhooks', { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const [created, setCreated] = useState<CreatedWebhook>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const show = (webhook: CreatedWebhook) => {
    setCreated(webhook);
    done();
  };
  const create = (
    <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      New webhook
    </button>
  );
  return (
    <Page title="Webhooks" lead="Events are posted to the addresses of webhooks." actions={create}>
      <FailureNote failure={failure} />
      {value?.webhooks.length === 0 && (
        <Empty title="No webhook yet">
          <p>Create one here, or with the command line:</p>
          <Commands lines={['vc webhook create https://app.example.com/hooks/vc']} />
        </Empty>
      )}
      {value !== undefined && value.webhooks.length > 0 && (
        <WebhookTable webhooks={value.webhooks} onOpen={setOpen} onTested={reload} />
      )}
      {open?.kind === 'create' && <CreateWebhook onDone={show} onClose={close} />}
      {open?.kind === 'deliveries' && <Deliveries of={open.of} onClose={close} />}
      {open?.kind === 'delete' && <DeleteWebhook of={open.of} onDone={done} onClose={close} />}
      {created !== undefined && (
        <WebhookSecret created={created} onClose={() => setCreated(undefined)} />
      )}
    </Page>
  );
}

interface WebhookTableProps {
  readonly webhooks: readonly Webhook[];
  readonly onOpen: (open: Open) => void;
  readonly onTested: () => void;
}

function WebhookTable({ webhooks, onOpen, onTested }: WebhookTableProps) {
  return (
    <Table columns={['Address', 'Events', 'Status', 'Pending', 'Created', ACTIONS]}>
      {webhooks.map((webhook) => (
        <tr key={webhook.id}>
          <th scope="row">
            <span class="break">{webhook.url}</span>
          </th>
          <td>{webhook.events.join(', ')}</td>
          <td>
            <span class={webhook.status === 'active' ? 'muted' : 'outcome bad'}>
              {webhook.status}
            </span>
          </td>
          <td>{webhook.pending}</td>
          <td>
            <Time at={webhook.created_at} />
          </td>
          <RowActions of={webhook.url} may>
            <Item onClick={() => void test(webhook).then(onTested)}>Send a test</Item>
            <Item onClick={() => onOpen({ kind: 'deliveries', of: webhook })}>Deliveries…</Item>
            <Item danger onClick={() => onOpen({ kind: 'delete', of: webhook })}>
              Delete…
            </Item>
          </RowActions>
        </tr>
      ))}
    </Table>
  );
}

async function test({ id, url }: Webhook): Promise<void> {
  try {
    const { status, error } = await call<Delivery>('POST', `/webhooks/${id}/test`);
    if (status !== 'delivered') throw new Error(error ?? status);
    tell(`${url} has accepted the test event`);
  } catch (error) {
    tellFailure(`The test of ${url} failed`, error);
  }
}
