import { Dialog } from './dialog.js';
import { IntentForm, type IntentFormProps } from './intent-form.js';

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
