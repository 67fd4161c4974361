import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { call } from '../../api/http.js';
import type { Project } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item, Menu } from '../../components/menu.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { DeleteProject, RenameProject } from '../projects/dialogs.js';
import { Secrets } from './secrets.js';

/** A project: its computers, its secrets, and what can be done with it. */
export function ProjectPage() {
  const { params } = useRoute();
  const { route } = useLocation();
  const path = `/projects/${encodeURIComponent(params.id ?? '')}`;
  const { value, failure, reload } = useData(path, (signal) =>
    call<Project>('GET', path, { signal }),
  );
  const [open, setOpen] = useState<'rename' | 'delete'>();
  if (value === undefined) {
    return (
      <Page title="Project">
        <FailureNote failure={failure} />
      </Page>
    );
  }
  const { name, computer_count: count } = value;
  const close = () => setOpen(undefined);
  const actions = (
    <>
      <a class="button" href={`/computers?project=${encodeURIComponent(name)}`}>
        <Icon name="computers" />
        {count === 1 ? '1 computer' : `${count} computers`}
      </a>
      {may.value('manage') && (
        <Menu label={`Actions of ${name}`} icon="more">
          <Item onClick={() => setOpen('rename')}>Rename…</Item>
          <Item danger onClick={() => setOpen('delete')}>
            Delete…
          </Item>
        </Menu>
      )}
    </>
  );
  return (
    <Page title={name} actions={actions}>
      <FailureNote failure={failure} />
      <Secrets project={value} />
      {open === 'rename' && (
        <RenameProject
          project={value}
          onDone={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <DeleteProject project={value} onDone={() => route('/projects')} onClose={close} />
      )}
    </Page>
  );
}
