import type { Computer } from '../../api/types.js';
import { Choice } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';

interface DialogProps {
  readonly computer: Computer;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const LENGTHS = [
  { value: '600', text: '10 minutes' },
  { value: '3600', text: '1 hour' },
  { value: '14400', text: '4 hours' },
];

/** Starts to record; `replaces` one that has ended. */
export function StartDialog({ computer, replaces, ...on }: DialogProps & { replaces: boolean }) {
  const { id, name, project_name } = computer;
  return (
    <FormDialog
      title={`Record the actions of ${name}`}
      submit="Start recording"
      intent={(fields) => {
        const seconds = Number(given(fields, 'max_seconds'));
        return {
          method: 'POST',
          path: `/computers/${id}/trajectory`,
          body: { max_seconds: seconds },
          vc: [
            'computer',
            'trajectory',
            `${project_name}/${name}`,
            'start',
            '--for',
            `${seconds}s`,
          ],
        };
      }}
      {...on}
    >
      <Choice label="End after" name="max_seconds" value="3600" options={LENGTHS} />
      <p class="muted">
        What programs do over the HTTP interface is recorded, with pictures; what a person does in
        the live view is not. {replaces && 'The trajectory that is there is replaced.'}
      </p>
    </FormDialog>
  );
}

export function DeleteDialog({ computer, ...on }: DialogProps) {
  const { id, name, project_name } = computer;
  return (
    <FormDialog
      title="Delete the trajectory?"
      submit="Delete trajectory"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `/computers/${id}/trajectory`,
        vc: ['computer', 'trajectory', `${project_name}/${name}`, 'rm'],
      })}
      {...on}
    >
      <p>Its steps and pictures are lost. This cannot be undone.</p>
    </FormDialog>
  );
}
