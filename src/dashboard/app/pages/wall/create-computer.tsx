import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, WallComputer } from '../../api/types.js';
import { EXPIRY, LABELS_HINT, RESOLUTION, SIZES } from '../../components/forms/computer-options.js';
import { Area, Choice, Field, Tick } from '../../components/forms/field.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { useData } from '../../state/use-data.js';
import { noteComputer } from '../../state/wall.js';
import { computerIntent } from './computer-intent.js';

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
        <summary>More options</summary>
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
          <Field label="Resolution" name="resolution" placeholder="1280x800" pattern={RESOLUTION} />
        </div>
        <Field
          label="Stop after idle minutes"
          name="auto_stop"
          type="number"
          min={1}
          hint="Empty: the computer runs until it is stopped."
        />
        <Choice
          label="Expires"
          name="expires"
          value=""
          options={EXPIRY}
          hint="It is deleted then, with its disk."
        />
        <Area label="Labels" name="labels" placeholder="team=qa" hint={LABELS_HINT} />
        <Area
          label="Variables"
          name="env"
          placeholder="API_URL=https://api.example.com"
          hint="One NAME=VALUE a line. The values are not shown again."
        />
        <Area
          label="Setup script"
          name="setup"
          rows={3}
          placeholder="sudo apt-get install -y gimp"
          hint="Run once with bash, before the computer is ready."
        />
        <div class="columns">
          <Field label="Time zone" name="timezone" placeholder="Europe/Berlin" maxLength={64} />
          <Field label="Locale" name="locale" placeholder="de_DE.UTF-8" maxLength={64} />
        </div>
        <Tick name="sudo" checked>
          Its user may become root with sudo
        </Tick>
      </details>
    </FormDialog>
  );
}
