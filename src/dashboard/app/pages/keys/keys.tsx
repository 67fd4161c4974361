import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { CreatedKey, Key } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { ChangeKey, CreateKey, RevokeKey } from './dialogs.js';
import { KeyTable, type OpenKey } from './key-table.js';
import { NewKey } from './new-key.js';

/** The API keys of the owner. */
export function Keys() {
  const { value, failure, reload } = useData('keys', (signal) =>
    call<{ keys: readonly Key[] }>('GET', '/keys', { signal }),
  );
  const [open, setOpen] = useState<OpenKey>();
  const [created, setCreated] = useState<CreatedKey>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const show = (key: CreatedKey) => {
    setCreated(key);
    done();
  };
  const create = may.value('manage') && (
    <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      New key
    </button>
  );
  return (
    <Page
      title="Keys"
      lead="Programs and people use the service with a key. Give each its own."
      actions={create}
    >
      <FailureNote failure={failure} />
      {value !== undefined && <KeyTable keys={value.keys} onOpen={setOpen} />}
      {open?.kind === 'create' && <CreateKey onDone={show} onClose={close} />}
      {open?.kind === 'change' && <ChangeKey of={open.of} onDone={done} onClose={close} />}
      {open?.kind === 'revoke' && <RevokeKey of={open.of} onDone={done} onClose={close} />}
      {created !== undefined && <NewKey created={created} onClose={() => setCreated(undefined)} />}
    </Page>
  );
}
