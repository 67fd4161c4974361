import type { Image } from '../../api/types.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { usersOf } from './users.js';

interface DeleteImageProps {
  readonly image: Image;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeleteImage({ image, onDone, onClose }: DeleteImageProps) {
  const { name, used_by } = image;
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit="Delete image"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `/images/${encodeURIComponent(name)}`,
        vc: ['image', 'rm', name],
      })}
      onDone={() => {
        tell(`Image ${name} deleted`);
        onDone();
      }}
      onClose={onClose}
    >
      {used_by === 0 ? (
        <p>No computer needs it. This cannot be undone.</p>
      ) : (
        <p>Made from it: {usersOf(image)}. It can be deleted when there are none.</p>
      )}
    </FormDialog>
  );
}
