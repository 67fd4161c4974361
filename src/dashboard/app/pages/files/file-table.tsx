import { API, query } from '../../api/http.js';
import type { FileEntry } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes, join } from '../../state/paths.js';
import { may } from '../../state/session.js';

const COLUMNS = ['Name', { text: 'Size', kind: 'number' }, 'Changed', 'Mode', ACTIONS] as const;

interface FileTableProps {
  readonly base: string;
  readonly directory: string;
  readonly entries: readonly FileEntry[];
  readonly onGo: (path: string) => void;
  readonly onRename: (entry: FileEntry) => void;
  readonly onDelete: (entry: FileEntry) => void;
}

/** The entries of a directory, folders first. */
export function FileTable({ base, directory, entries, onGo, onRename, onDelete }: FileTableProps) {
  const [folders, others] = [true, false].map((isFolder) =>
    entries.filter(({ type }) => (type === 'directory') === isFolder),
  );
  return (
    <Table class="files" columns={COLUMNS}>
      {[...(folders ?? []), ...(others ?? [])].map((entry) => {
        const path = join(directory, entry.name);
        return (
          <tr key={entry.name}>
            <th scope="row">
              <EntryName
                entry={entry}
                href={`${API}${base}/files${query({ path })}`}
                onOpen={() => onGo(path)}
              />
            </th>
            <td class="number nowrap">{entry.type === 'file' ? formatBytes(entry.size) : ''}</td>
            <td>
              <Time at={entry.mtime} />
            </td>
            <td>
              <code>{entry.mode}</code>
            </td>
            <RowActions of={entry.name} may={may.value('act')}>
              <Item onClick={() => onRename(entry)}>Rename…</Item>
              <Item danger onClick={() => onDelete(entry)}>
                Delete…
              </Item>
            </RowActions>
          </tr>
        );
      })}
    </Table>
  );
}

interface EntryNameProps {
  readonly entry: FileEntry;
  readonly href: string;
  readonly onOpen: () => void;
}

/** A folder opens, a file is downloaded by the browser, which streams it. */
function EntryName({ entry: { name, type, target }, href, onOpen }: EntryNameProps) {
  if (type === 'directory') {
    return (
      <button type="button" class="link" onClick={onOpen}>
        <Icon name="folder" />
        <span class="break">{name}</span>
      </button>
    );
  }
  return (
    <a class="link" href={href} download={name}>
      <Icon name={type === 'link' ? 'left' : 'files'} />
      <span class="break">{name}</span>
      {target !== undefined && <span class="muted break">→ {target}</span>}
    </a>
  );
}
