import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { call, query } from '../../api/http.js';
import type { Computer, FileEntry, Lists } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Icon } from '../../components/icon.js';
import { tellFailure } from '../../state/notices.js';
import { foldersOf, join, parents, replacedBy } from '../../state/paths.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { type FileDialog, FileDialogs, ReplaceDialog } from './dialogs.js';
import { FileTable } from './file-table.js';
import { SelectedFiles } from './selected-files.js';
import { UploadList, useUploads } from './uploads.js';

/** The files of a computer: a directory, uploads by button or drag, streamed downloads. */
export function FilesTab({ computer }: { computer: Computer }) {
  const { query: given, path, route } = useLocation();
  const directory = given.path ?? '.';
  const base = `/computers/${computer.id}`;
  const mayRead = may.value('act') && computer.status === 'running';
  const { value, failure, reload } = useData(`${base} ${directory} ${mayRead}`, async (signal) =>
    mayRead
      ? call<Lists['directory']>('GET', `${base}/directory${query({ path: directory })}`, {
          signal,
        })
      : undefined,
  );
  const here = value?.path ?? directory;
  const [open, setOpen] = useState<FileDialog>();
  const uploads = useUploads(base, reload);
  const go = (to: string) => route(`${path}${query({ path: to })}`);
  const [replacing, setReplacing] = useState<readonly File[]>();
  const entries = value?.entries ?? [];
  const [selected, setSelected] = useState<{ of: string; names: ReadonlySet<string> }>();
  const names = new Set(selected?.of === here ? selected.names : []);
  const select = (name: string, isSelected: boolean) => {
    if (isSelected) names.add(name);
    else names.delete(name);
    setSelected({ of: here, names });
  };
  const send = (files: readonly File[]) => void sendAll(files);
  const sendAll = async (files: readonly File[]) => {
    try {
      for (const folder of foldersOf(files.map(pathOf))) {
        const path = join(here, folder);
        await call('POST', `${base}/directory`, { body: { path, recursive: true } });
      }
      for (const file of files) uploads.send(file, join(here, pathOf(file)));
    } catch (error) {
      tellFailure('Could not create a folder', error);
    }
  };
  const ask = (files: readonly File[]) => {
    if (replacedBy(files.map(pathOf), entries).length > 0) setReplacing(files);
    else send(files);
  };
  if (!may.value('act')) {
    return (
      <div class="page">
        <Empty title="Your key may not read files">
          <p>It may only look. Files need a key that may act.</p>
        </Empty>
      </div>
    );
  }
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
    <DropArea isOn onFiles={ask}>
      <div class="page">
        <div class="filters">
          <PathBar path={here} onGo={go} />
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
                ask([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
          </label>
          <label class="button upload">
            <Icon name="upload" />
            Upload folder
            <input
              type="file"
              class="offscreen"
              ref={(input) => void input?.toggleAttribute('webkitdirectory', true)}
              onChange={(event) => {
                ask([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
          </label>
        </div>
        <UploadList uploads={uploads.list} />
        <FailureNote failure={failure} />
        {value?.entries.length === 0 && (
          <Empty title="The folder is empty">
            <p>Drag files here to upload them.</p>
          </Empty>
        )}
        {value !== undefined && value.entries.length > 0 && (
          <FileTable
            base={base}
            directory={here}
            entries={value.entries}
            selected={names}
            onSelect={select}
            onGo={go}
            onRename={(of: FileEntry) => setOpen({ kind: 'rename', of })}
            onDelete={(of: FileEntry) => setOpen({ kind: 'delete', of })}
          />
        )}
        {entries.some(({ name }) => names.has(name)) && (
          <SelectedFiles
            computer={computer}
            directory={here}
            entries={entries.filter(({ name }) => names.has(name))}
            onNone={() => setSelected(undefined)}
            onDone={reload}
          />
        )}
        {replacing !== undefined && (
          <ReplaceDialog
            names={replacedBy(replacing.map(pathOf), entries)}
            onReplace={() => send(replacing)}
            onClose={() => setReplacing(undefined)}
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

/** The path of a file below the folder that was chosen with it. */
function pathOf({ name, webkitRelativePath }: File): string {
  return webkitRelativePath || name;
}

interface DropAreaProps {
  readonly isOn: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** Takes files that are dragged onto it. */
function DropArea({ isOn, onFiles, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false);
  // Entering a child leaves its parent, so that both are counted.
  const depth = useRef(0);
  const enter = (by: number) => {
    depth.current += by;
    setOver(depth.current > 0);
  };
  const hasFiles = ({ dataTransfer }: DragEvent) =>
    isOn && dataTransfer?.types.includes('Files') === true;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, the button Upload does the same
    <div
      class="drop"
      data-over={isOver}
      onDragEnter={(event) => hasFiles(event) && enter(1)}
      onDragLeave={(event) => hasFiles(event) && enter(-1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
    </div>
  );
}

/** The path as steps to go back to, or as a text to type. */
function PathBar({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const [isEditing, setEditing] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setEditing(false);
    onGo(String(form.get('path') || '.'));
  };
  if (isEditing) {
    return (
      <form class="path" onSubmit={submit}>
        <input
          name="path"
          aria-label="Path"
          defaultValue={path}
          spellcheck={false}
          autocomplete="off"
          ref={(input) => input?.focus()}
          // What is typed replaces it.
          onFocus={(event) => event.currentTarget.select()}
          onBlur={() => setEditing(false)}
          onKeyDown={(event) => event.key === 'Escape' && setEditing(false)}
        />
      </form>
    );
  }
  const steps = parents(path);
  return (
    <nav class="path" aria-label="Path">
      <ol class="plain">
        {steps.map((step, at) => (
          <li key={step.path}>
            <button
              type="button"
              class="small ghost"
              aria-current={at === steps.length - 1 ? 'location' : undefined}
              onClick={() => onGo(step.path)}
            >
              <span class="clip">{step.name}</span>
            </button>
          </li>
        ))}
      </ol>
      <button type="button" class="small ghost" onClick={() => setEditing(true)}>
        Type a path
      </button>
      {steps.length > 1 && (
        <button
          type="button"
          class="ghost square"
          aria-label="Up"
          onClick={() => onGo(steps.at(-2)?.path ?? '/')}
        >
          <Icon name="up" />
        </button>
      )}
    </nav>
  );
}
