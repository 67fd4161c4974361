import { useState } from 'preact/hooks';
import { API } from '../../api/addresses.js';
import { query } from '../../api/http.js';
import type { FileEntry } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes, join } from '../../state/paths.js';
import { saveFrom } from '../../state/save.js';
import { may } from '../../state/session.js';
import { visible } from '../../state/visible.js';
import { canPreview, Preview } from './preview.js';

const COLUMNS = [
  { text: 'Select', kind: 'hidden' },
  'Name',
  { text: 'Size', kind: 'number' },
  'Changed',
  'Mode',
  ACTIONS,
] as const;

interface FileTableProps {
  readonly base: string;
  readonly directory: string;
  readonly entries: readonly FileEntry[];
  /** Names of the selected entries. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (name: string, isSelected: boolean) => void;
  readonly onGo: (path: string) => void;
  readonly onRename: (entry: FileEntry) => void;
  readonly onDelete: (entry: FileEntry) => void;
}

/** The entries of a directory, folders first. */
export function FileTable(props: FileTableProps) {
  const { base, directory, entries, selected, onSelect, onGo, onRename, onDelete } = props;
  const [previewed, setPreviewed] = useState<FileEntry>();
  const hrefOf = (name: string) => `${API}${base}/files${query({ path: join(directory, name) })}`;
  const [folders, others] = [true, false].map((isFolder) =>
    entries.filter(({ type }) => (type === 'directory') === isFolder),
  );
  return (
    <>
      <Table class="files" columns={COLUMNS}>
        {[...(folders ?? []), ...(others ?? [])].map((entry) => {
          const path = join(directory, entry.name);
          return (
            <tr key={entry.name}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${visible(entry.name)}`}
                  checked={selected.has(entry.name)}
                  onChange={(event) => onSelect(entry.name, event.currentTarget.checked)}
                />
              </td>
              <th scope="row">
                <EntryName
                  entry={entry}
                  href={hrefOf(entry.name)}
                  onOpen={() => (entry.type === 'directory' ? onGo(path) : setPreviewed(entry))}
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
                {entry.type === 'file' && (
                  <Item onClick={() => saveFrom(hrefOf(entry.name), entry.name)}>Download</Item>
                )}
                <Item onClick={() => onRename(entry)}>Rename…</Item>
                <Item danger onClick={() => onDelete(entry)}>
                  Delete…
                </Item>
              </RowActions>
            </tr>
          );
        })}
      </Table>
      {previewed !== undefined && (
        <Preview
          base={base}
          path={join(directory, previewed.name)}
          name={previewed.name}
          href={hrefOf(previewed.name)}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
}

interface EntryNameProps {
  readonly entry: FileEntry;
  readonly href: string;
  readonly onOpen: () => void;
}

/** A folder opens, a small file is shown, another is downloaded by the browser, which streams it. */
function EntryName({ entry, href, onOpen }: EntryNameProps) {
  const { name, type, target } = entry;
  if (type === 'directory' || canPreview(entry)) {
    return (
      <button type="button" class="link" onClick={onOpen}>
        <Icon name={type === 'directory' ? 'folder' : 'files'} />
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
