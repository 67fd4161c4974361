import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, Project } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { CreateProject, DeleteProject, RenameProject } from './dialogs.js';

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename' | 'delete'; readonly of: Project };

/** The projects of the owner. */
export function Projects() {
  const { value, failure, reload } = useData('projects', (signal) =>
    call<Lists['projects']>('GET', '/projects', { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const canManage = may.value('manage');
  const create = canManage && (
    <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      New project
    </button>
  );
  const projects = value?.projects ?? [];
  return (
    <Page title="Projects" lead="A project holds computers and secrets." actions={create}>
      <FailureNote failure={failure} />
      {value !== undefined && projects.length === 0 && (
        <Empty title="No project yet">
          <p>Create one here, or with the command line:</p>
          <Commands lines={['vc project create demo']} />
        </Empty>
      )}
      {projects.length > 0 && (
        <Table columns={['Name', { text: 'Computers', kind: 'number' }, 'Created', ACTIONS]}>
          {projects.map((project) => (
            <tr key={project.id}>
              <th scope="row">
                <a href={`/projects/${encodeURIComponent(project.id)}`}>{project.name}</a>
              </th>
              <td class="number">
                <a
                  href={`/computers?project=${encodeURIComponent(project.name)}`}
                  aria-label={`${project.computer_count} computers of ${project.name}`}
                >
                  {project.computer_count}
                </a>
              </td>
              <td>
                <Time at={project.created_at} />
              </td>
              <RowActions of={project.name} may={canManage}>
                <Item onClick={() => setOpen({ kind: 'rename', of: project })}>Rename…</Item>
                <Item danger onClick={() => setOpen({ kind: 'delete', of: project })}>
                  Delete…
                </Item>
              </RowActions>
            </tr>
          ))}
        </Table>
      )}
      {open?.kind === 'create' && <CreateProject onDone={done} onClose={close} />}
      {open?.kind === 'rename' && <RenameProject project={open.of} onDone={done} onClose={close} />}
      {open?.kind === 'delete' && <DeleteProject project={open.of} onDone={done} onClose={close} />}
    </Page>
  );
}
