import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Intent } from '../../api/commands.js';
import { asFailure, type Failure } from '../../api/failure.js';
import { call } from '../../api/http.js';
import { FailureNote } from '../failure.js';
import { CopyAs } from './copy.js';
import { Dialog } from './dialog.js';
import { Refusal } from './field.js';
import { showWrong } from './wrong-field.js';

interface IntentFormProps<Answer> {
  /** What the button says. */
  readonly submit: string;
  /** Set if it cannot be undone. */
  readonly danger?: boolean;
  /** The request of the fields as they are. */
  readonly intent: (fields: FormData) => Intent;
  readonly onDone: (answer: Answer) => void;
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

/** A form that sends one request, which can also be copied as a command. */
export function IntentForm<Answer>(props: IntentFormProps<Answer>) {
  const { submit, danger = false, intent, onDone, onCancel, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure>();
  const [isBeside, setBeside] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const current = () => intent(new FormData(form.current ?? undefined));
  const send = async () => {
    const { method, path, body } = current();
    setBusy(true);
    setFailure(undefined);
    try {
      onDone(await call<Answer>(method, path, { body }));
    } catch (error) {
      const refusal = asFailure(error);
      setFailure(refusal);
      setBeside(showWrong(form.current, refusal));
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!isBusy) void send();
  };
  return (
    <form ref={form} class="form" onSubmit={onSubmit}>
      <Refusal.Provider value={failure}>{children}</Refusal.Provider>
      <FailureNote failure={isBeside ? undefined : failure} />
      <footer>
        <span class="copies">
          <CopyAs intent={current} />
        </span>
        {onCancel !== undefined && (
          <button type="button" data-first={danger ? '' : undefined} onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class={danger ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? 'Sending…' : submit}
        </button>
      </footer>
    </form>
  );
}

interface FormDialogProps<Answer> extends Omit<IntentFormProps<Answer>, 'onCancel'> {
  readonly title: string;
  readonly onClose: () => void;
}

/** A form in a dialog. */
export function FormDialog<Answer>({ title, onClose, ...form }: FormDialogProps<Answer>) {
  return (
    <Dialog title={title} onClose={onClose}>
      <IntentForm<Answer> {...form} onCancel={onClose} />
    </Dialog>
  );
}
