import { useState } from 'preact/hooks';
import type { Intent } from '../../api/commands.js';
import { call } from '../../api/http.js';
import type { Lists, WallComputer } from '../../api/types.js';
import { Choice, Field, given } from '../../components/forms/field.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { useData } from '../../state/use-data.js';
import { noteComputer } from '../../state/wall.js';

const SIZES = ['2', '4', '8'].map((value) => ({ value, text: value }));
const NEW = '';

interface CreateComputerProps {
  readonly project?: string | undefined;
  /** Chosen at first. */
  readonly image?: string;
  readonly onClose: () => void;
}

/** The form of a new computer. It is on the wall at once, as `starting`. */
export function CreateComputer({ project, image = '', onClose }: CreateComputerProps) {
  const { value } = useData('new-computer', async (signal) => ({
    ...(await call<Lists['projects']>('GET', '/projects', { signal })),
    ...(await call<Lists['images']>('GET', '/images', { signal })),
  }));
  const projects = value?.projects.map(({ name }) => name) ?? [];
  const images = [
    ...new Set(value?.images.filter(({ kind }) => kind !== 'template').map(({ name }) => name)),
  ];
  const [chosen, setChosen] = useState(project);
  const current = chosen ?? projects[0] ?? NEW;
  const done = (computer: WallComputer) => {
    noteComputer(computer);
    onClose();
  };
  return (
    <FormDialog<WallComputer>
      title="New computer"
      submit="Create computer"
      intent={computerIntent}
      onDone={done}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={128} />
      {projects.length > 0 ? (
        <Choice
          label="Project"
          name="project"
          value={current}
          onChange={setChosen}
          options={projects.map((name) => ({ value: name, text: name }))}
        />
      ) : (
        <Field label="Project" name="project" value="default" hint="It is created." required />
      )}
      <div class="columns">
        <Choice label="CPU" name="cpu" value="2" options={SIZES} />
        <Choice label="Memory, GB" name="ram" value="2" options={SIZES} />
      </div>
      <details open={image !== ''}>
        <summary>More settings</summary>
        <div class="columns">
          <Choice
            label="Image"
            name="image"
            value={image}
            options={[
              { value: '', text: 'default' },
              ...images.map((name) => ({ value: name, text: name })),
            ]}
          />
          <Field label="Resolution" name="resolution" placeholder="1280x800" pattern="\d+x\d+" />
        </div>
        <Field
          label="Stop after idle minutes"
          name="auto_stop"
          type="number"
          min={1}
          hint="Empty: the computer runs until it is stopped."
        />
      </details>
    </FormDialog>
  );
}

function computerIntent(fields: FormData): Intent {
  const name = given(fields, 'name') ?? '';
  const project = given(fields, 'project') ?? 'default';
  const [cpu, ram] = [given(fields, 'cpu') ?? '2', given(fields, 'ram') ?? '2'];
  const [image, resolution] = [given(fields, 'image'), given(fields, 'resolution')];
  const autoStop = given(fields, 'auto_stop');
  const body = {
    project,
    name,
    cpu: Number(cpu),
    ram: Number(ram),
    ...(image === undefined ? {} : { image }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(autoStop === undefined ? {} : { auto_stop_minutes: Number(autoStop) }),
  };
  const vc = ['create', `${project}/${name}`, '--cpu', cpu, '--ram', ram];
  if (image !== undefined) vc.push('--image', image);
  if (resolution !== undefined) vc.push('--resolution', resolution);
  if (autoStop !== undefined) vc.push('--auto-stop', `${autoStop}m`);
  return { method: 'POST', path: '/computers?wait=0', body, vc };
}
