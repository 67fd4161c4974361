import type { Project } from '../../api/types.js';
import { Confirmation, Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { createProject, deleteProject, renameProject } from './intents.js';

interface Closing {
  readonly onDone: () => void;
  readonly onClose: () => void;
}
type OfProject = Closing & { readonly project: Project };

const RULE = 'Letters, digits, _ and -, up to 64.';

export function CreateProject({ onDone, onClose }: Closing) {
  return (
    <FormDialog<Project>
      title="New project"
      submit="Create project"
      intent={(fields) => createProject(given(fields, 'name') ?? '')}
      onDone={({ name }) => {
        tell(`Project ${name} created`);
        onDone();
      }}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} hint={RULE} />
    </FormDialog>
  );
}

export function RenameProject({ project, onDone, onClose }: OfProject) {
  return (
    <FormDialog<Project>
      title={`Rename ${project.name}`}
      submit="Rename project"
      intent={(fields) => renameProject(project, given(fields, 'name') ?? '')}
      onDone={({ name }) => {
        tell(`Project ${project.name} is now ${name}`);
        onDone();
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={64}
        value={project.name}
        hint={`${RULE} Its computers continue to run.`}
      />
    </FormDialog>
  );
}

export function DeleteProject({ project, onDone, onClose }: OfProject) {
  const count = project.computer_count;
  const lost = count === 1 ? '1 computer' : `${count} computers`;
  return (
    <FormDialog
      title={`Delete ${project.name}?`}
      submit={count === 0 ? 'Delete project' : `Delete project and ${lost}`}
      danger
      intent={() => deleteProject(project)}
      onDone={() => {
        tell(`Project ${project.name} deleted`);
        onDone();
      }}
      onClose={onClose}
    >
      {count === 0 ? (
        <p>The project is empty.</p>
      ) : (
        <p>
          Its <strong>{lost}</strong> and everything on their disks are deleted, too. This cannot be
          undone.
        </p>
      )}
      {count > 1 && <Confirmation of={project.name} />}
    </FormDialog>
  );
}
