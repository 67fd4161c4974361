import { query } from '../../api/http.js';
import type { FileEntry } from '../../api/types.js';
import { Dialog, Lost } from '../../components/forms/dialog.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { join } from '../../state/paths.js';

export type FileDialog =
  | { readonly kind: 'folder' }
  | { readonly kind: 'rename' | 'delete'; readonly of: FileEntry };

interface ReplaceDialogProps {
  readonly names: readonly string[];
  readonly onReplace: () => void;
  readonly onClose: () => void;
}

/** Asks before an upload replaces what is there. */
export function ReplaceDialog({ names, onReplace, onClose }: ReplaceDialogProps) {
  const what = names.length === 1 ? `Replace ${names[0]}?` : `Replace ${names.length} entries?`;
  return (
    <Dialog title={what} onClose={onClose}>
      <p>
        They are in this folder already. The content of files is lost; of folders, only that of
        files with the same names.
      </p>
      <Lost names={names} />
      <footer>
        <button type="button" data-first onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onReplace();
            onClose();
          }}
        >
          Replace
        </button>
      </footer>
    </Dialog>
  );
}

interface FileDialogsProps {
  readonly base: string;
  readonly directory: string;
  readonly open: FileDialog;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The dialog that makes, renames or deletes an entry. */
export function FileDialogs({ base, directory, open, onDone, onClose }: FileDialogsProps) {
  if (open.kind === 'folder') {
    return (
      <FormDialog
        title="New folder"
        submit="Create folder"
        intent={(fields) => ({
          method: 'POST',
          path: `${base}/directory`,
          body: { path: join(directory, given(fields, 'name') ?? '') },
        })}
        onDone={onDone}
        onClose={onClose}
      >
        <Field label="Name" name="name" required />
      </FormDialog>
    );
  }
  const { name, type } = open.of;
  const path = join(directory, name);
  if (open.kind === 'rename') {
    return (
      <FormDialog
        title={`Rename ${name}`}
        submit="Rename"
        intent={(fields) => ({
          method: 'POST',
          path: `${base}/rename`,
          body: { path, new_path: join(directory, given(fields, 'name') ?? '') },
        })}
        onDone={onDone}
        onClose={onClose}
      >
        <Field
          label="Name"
          name="name"
          required
          value={name}
          hint="A file of that name is replaced."
        />
      </FormDialog>
    );
  }
  const isFolder = type === 'directory';
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit={isFolder ? 'Delete folder' : 'Delete file'}
      danger
      intent={() => ({
        method: 'DELETE',
        path: `${base}/entry${query({ path, recursive: isFolder ? '1' : undefined })}`,
      })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{isFolder ? 'With everything in it. ' : ''}This cannot be undone.</p>
    </FormDialog>
  );
}
