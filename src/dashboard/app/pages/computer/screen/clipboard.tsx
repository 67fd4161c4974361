import { useId } from 'preact/hooks';
import { call } from '../../../api/http.js';
import type { Computer } from '../../../api/types.js';
import { FailureNote } from '../../../components/failure.js';
import { given } from '../../../components/forms/field.js';
import { FormDialog } from '../../../components/forms/form-dialog.js';
import { tell } from '../../../state/notices.js';
import { useData } from '../../../state/use-data.js';

interface ClipboardProps {
  readonly computer: Computer;
  /** What was copied while the page was open. */
  readonly copied: string;
  readonly onClose: () => void;
}

/** The text of the computer's clipboard, to read and to set. */
export function ClipboardDialog({ computer, copied, onClose }: ClipboardProps) {
  const id = useId();
  const path = `/computers/${computer.id}/clipboard`;
  const { value, failure } = useData(`clipboard ${copied}`, (signal) =>
    call<{ text: string }>('GET', path, { signal }),
  );
  return (
    <FormDialog
      title="Clipboard of the computer"
      submit="Set clipboard"
      intent={(fields) => {
        const text = given(fields, 'text') ?? '';
        const address = `${computer.project_name}/${computer.name}`;
        return { method: 'PUT', path, body: { text }, vc: ['clipboard', address, 'set', text] };
      }}
      onDone={() => {
        tell('The clipboard of the computer is set');
        onClose();
      }}
      onClose={onClose}
    >
      <FailureNote failure={failure} />
      <p class="field">
        <label for={id}>Text</label>
        <textarea
          key={value?.text}
          id={id}
          name="text"
          rows={7}
          spellcheck={false}
          defaultValue={value?.text ?? ''}
          placeholder={value === undefined ? 'Reading…' : 'The clipboard is empty.'}
        />
      </p>
    </FormDialog>
  );
}
