import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { call, query } from '../../api/http.js';
import type { Computer, FileEntry, Lists } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Icon } from '../../components/icon.js';
import { join } from '../../state/paths.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { type FileDialog, FileDialogs } from './dialogs.js';
import { DropArea } from './drop-area.js';
import { FileTable } from './file-table.js';
import { PathBar } from './path-bar.js';
import { UploadList, useUploads } from './uploads.js';

/** The files of a computer: a directory, uploads by button or drag, streamed downloads. */
export function FilesTab({ computer }: { computer: Computer }) {
  const { query: given, path, route } = useLocation();
  const directory = given.path ?? '.';
  const base = `/computers/${computer.id}`;
  const { value, failure, reload } = useData(`${base} ${directory} ${computer.status}`, (signal) =>
    call<Lists['directory']>('GET', `${base}/directory${query({ path: directory })}`, { signal }),
  );
  const here = value?.path ?? directory;
  const [open, setOpen] = useState<FileDialog>();
  const uploads = useUploads(base, reload);
  const go = (to: string) => route(`${path}${query({ path: to })}`);
  const send = (files: readonly File[]) => {
    for (const file of files) uploads.send(file, join(here, file.name));
  };
  const canWrite = may.value('act') && computer.status === 'running';
  if (computer.status !== 'running') {
    return (
      <div class="page">
        <Empty title={`The computer is ${computer.status}`}>
          <p>Its files can be read while it runs.</p>
        </Empty>
      </div>
    );
  }
  return (
    <DropArea isOn={canWrite} onFiles={send}>
      <div class="page">
        <div class="filters">
          <PathBar path={here} onGo={go} />
          {canWrite && (
            <>
              <button type="button" onClick={() => setOpen({ kind: 'folder' })}>
                <Icon name="folder" />
                New folder
              </button>
              <label class="button primary upload">
                <Icon name="upload" />
                Upload
                <input
                  type="file"
                  class="offscreen"
                  multiple
                  onChange={(event) => {
                    send([...(event.currentTarget.files ?? [])]);
                    event.currentTarget.value = '';
                  }}
                />
              </label>
            </>
          )}
        </div>
        <UploadList uploads={uploads.list} />
        <FailureNote failure={failure} />
        {value?.entries.length === 0 && (
          <Empty title="The folder is empty">
            {canWrite && <p>Drag files here to upload them.</p>}
          </Empty>
        )}
        {value !== undefined && value.entries.length > 0 && (
          <FileTable
            base={base}
            directory={here}
            entries={value.entries}
            onGo={go}
            onRename={(of: FileEntry) => setOpen({ kind: 'rename', of })}
            onDelete={(of: FileEntry) => setOpen({ kind: 'delete', of })}
          />
        )}
        {open !== undefined && (
          <FileDialogs
            base={base}
            directory={here}
            open={open}
            onDone={() => {
              setOpen(undefined);
              reload();
            }}
            onClose={() => setOpen(undefined)}
          />
        )}
      </div>
    </DropArea>
  );
}
