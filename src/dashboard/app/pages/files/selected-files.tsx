import { useState } from 'preact/hooks';
import { atOnce } from '../../api/at-once.js';
import { asFailure, type Failure } from '../../api/failure.js';
import { call, query } from '../../api/http.js';
import type { Computer, FileEntry } from '../../api/types.js';
import { Dialog, Lost } from '../../components/forms/dialog.js';
import { Icon } from '../../components/icon.js';
import { tell, tellFailure, tellResult } from '../../state/notices.js';
import { join } from '../../state/paths.js';
import { save } from '../../state/save.js';
import { readArchive } from './archive.js';

/** Entries at the same time; the others wait. */
const AT_ONCE = 4;

interface SelectedFilesProps {
  readonly computer: Computer;
  readonly directory: string;
  readonly entries: readonly FileEntry[];
  readonly onNone: () => void;
  /** The directory has changed. */
  readonly onDone: () => void;
}

/** What can be done with the entries that are selected. */
export function SelectedFiles(props: SelectedFilesProps) {
  const { computer, directory, entries, onNone, onDone } = props;
  const [isAsking, setAsking] = useState(false);
  const [isPacking, setPacking] = useState(false);
  const names = entries.map(({ name }) => name);
  const count = names.length === 1 ? '1 entry' : `${names.length} entries`;
  const download = async () => {
    setPacking(true);
    try {
      const archive = await readArchive(computer.id, directory, names);
      save(`${names.length === 1 ? names[0] : computer.name}.tar.gz`, archive);
    } catch (error) {
      tellFailure(`Could not download ${count}`, error);
    } finally {
      setPacking(false);
    }
  };
  const remove = async (chosen: readonly FileEntry[]) => {
    const failed: { entry: FileEntry; name: string; failure: Failure }[] = [];
    await atOnce(chosen, AT_ONCE, async (entry) => {
      const { name, type } = entry;
      const recursive = type === 'directory' ? '1' : undefined;
      const path = query({ path: join(directory, name), recursive });
      await call('DELETE', `/computers/${computer.id}/entry${path}`).catch((error: unknown) =>
        failed.push({ entry, name, failure: asFailure(error) }),
      );
    });
    const deleted = chosen.length - failed.length;
    if (failed.length === 0) tell(`${deleted} deleted`);
    else {
      const left = failed.map(({ entry }) => entry);
      tellResult(`${deleted} deleted, ${failed.length} not`, failed, () => void remove(left));
    }
    onDone();
  };
  return (
    <section class="bulk" aria-label="Selected files">
      <strong>{names.length} selected</strong>
      <button type="button" class="small ghost" onClick={onNone}>
        None
      </button>
      <span class="gap" />
      <button type="button" aria-disabled={isPacking} onClick={() => !isPacking && void download()}>
        <Icon name="download" />
        {isPacking ? 'Downloading…' : 'Download as tar.gz'}
      </button>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Delete
      </button>
      {isAsking && (
        <Dialog title={`Delete ${count}?`} onClose={() => setAsking(false)}>
          <p>Folders with everything in them. This cannot be undone.</p>
          <Lost names={names} />
          <footer>
            <button type="button" data-first onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                setAsking(false);
                onNone();
                void remove(entries);
              }}
            >
              Delete {count}
            </button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
