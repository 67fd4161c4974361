import { signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { call } from '../../../api/http.js';
import type { Computer } from '../../../api/types.js';
import { FailureNote } from '../../../components/failure.js';
import { Copy } from '../../../components/forms/copy.js';
import { given } from '../../../components/forms/given.js';
import { FormDialog } from '../../../components/forms/intent-form.js';
import { tell, tellFailure } from '../../../state/notices.js';
import { useData } from '../../../state/use-data.js';
import { clipboardIntent } from './intents.js';
import type { Live } from './live.js';

const STORED = 'shared-clipboard';
/** Whether the person and the computers that they control share the clipboard. */
const isShared = signal(localStorage.getItem(STORED) === 'yes');

function share(isOn: boolean): void {
  isShared.value = isOn;
  localStorage.setItem(STORED, isOn ? 'yes' : 'no');
}

/**
 * While the person controls the computer, and if they have chosen so: what is copied in the computer goes
 * to the browser's clipboard, and what was copied elsewhere to the computer when the page gets the focus.
 */
export function useSharedClipboard({ id }: Computer, { clipboard }: Live, isMine: boolean): void {
  const isOn = isShared.value && isMine;
  /** The last text that both have. */
  const both = useRef('');
  useEffect(() => {
    if (!isOn || clipboard === '' || clipboard === both.current) return;
    both.current = clipboard;
    navigator.clipboard.writeText(clipboard).catch(stop);
  }, [isOn, clipboard]);
  useEffect(() => {
    if (!isOn) return undefined;
    const give = async () => {
      const text = await navigator.clipboard.readText();
      if (text === '' || text === both.current) return;
      both.current = text;
      await call('PUT', `/computers/${id}/clipboard`, { body: { text } });
    };
    const onFocus = () => void give().catch(stop);
    onFocus();
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, [isOn, id]);
}

/** The browser refuses it, or the page has lost the focus meanwhile. */
function stop(error: unknown): void {
  if (!document.hasFocus()) return;
  share(false);
  tellFailure('The clipboard is no longer shared', error);
}

interface ClipboardProps {
  readonly computer: Computer;
  /** What was copied while the page was open. */
  readonly copied: string;
  readonly onClose: () => void;
}

/** The text of the computer's clipboard, to read and to set. */
export function ClipboardDialog({ computer, copied, onClose }: ClipboardProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const path = `/computers/${computer.id}/clipboard`;
  const { value, failure } = useData(`clipboard ${copied}`, (signal) =>
    call<{ text: string }>('GET', path, { signal }),
  );
  return (
    <FormDialog
      title="Clipboard of the computer"
      submit="Set clipboard"
      intent={(fields) => clipboardIntent(computer, given(fields, 'text') ?? '')}
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
          ref={area}
          id={id}
          name="text"
          rows={7}
          spellcheck={false}
          defaultValue={value?.text ?? ''}
          placeholder={value === undefined ? 'Reading…' : 'The clipboard is empty.'}
        />
      </p>
      <p>
        <Copy text={() => area.current?.value ?? ''}>Copy</Copy>
      </p>
      {/* Plain HTTP has a clipboard only on the same machine. */}
      {window.isSecureContext && (
        <label class="tick">
          <input
            type="checkbox"
            checked={isShared.value}
            onChange={(event) => share(event.currentTarget.checked)}
          />
          <span>Share my clipboard with the computer that I control</span>
        </label>
      )}
    </FormDialog>
  );
}
