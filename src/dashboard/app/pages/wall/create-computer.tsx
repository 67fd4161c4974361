import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Health, Lists, WallComputer } from '../../api/types.js';
import { EXPIRY, LABELS_HINT, RESOLUTION, sizes } from '../../components/forms/computer-options.js';
import { Area, Choice, Field, Tick } from '../../components/forms/field.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { useData } from '../../state/use-data.js';
import { computers, noteComputer } from '../../state/wall.js';
import { computerIntent, VOLUME } from './computer-intent.js';

const NEW = '';

/** Names to choose from, after what no choice means. */
function choices(none: string, names: readonly string[]) {
  return [{ value: '', text: none }, ...names.map((name) => ({ value: name, text: name }))];
}

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
    ...(await call<Lists['volumes']>('GET', '/volumes', { signal })),
    ...(await call<Health>('GET', '/health', { signal })),
  }));
  const projects = value?.projects.map(({ name }) => name) ?? [];
  const images = [
    ...new Set(value?.images.filter(({ kind }) => kind !== 'template').map(({ name }) => name)),
  ];
  const members = [
    ...new Set([...computers.value.values()].flatMap(({ member }) => member ?? [])),
  ].sort();
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
        <Choice label="CPU" name="cpu" value="2" options={sizes()} />
        <Choice label="Memory, GB" name="ram" value="2" options={sizes()} />
      </div>
      <details open={image !== ''}>
        <summary>More options</summary>
        <div class="columns">
          <Choice label="Image" name="image" value={image} options={choices('default', images)} />
          <Choice
            label="Operating system"
            name="os"
            value=""
            options={choices('that of the image', ['linux', 'windows'])}
          />
        </div>
        <div class="columns">
          <Choice
            label="Engine"
            name="engine"
            value=""
            options={choices('preferred', value?.engines.map(({ name }) => name) ?? [])}
          />
          {members.length > 0 && (
            <Choice
              label="Member of the cluster"
              name="member"
              value=""
              options={choices('chosen by the cluster', members)}
            />
          )}
          <Field
            label="Resolution"
            name="resolution"
            placeholder="1280x800"
            pattern={RESOLUTION}
            title="a width and a height, such as 1280x800"
          />
        </div>
        <div class="columns">
          <Field
            label="Idle after minutes"
            name="auto_stop"
            type="number"
            min={1}
            hint="Empty: it runs until it is stopped."
          />
          <Choice
            label="When it is idle"
            name="on_idle"
            value="stop"
            options={[
              { value: 'stop', text: 'stop it' },
              { value: 'delete', text: 'delete it' },
            ]}
          />
        </div>
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
        <Area
          label="Network"
          name="network"
          placeholder="example.com"
          hint="What it may reach: one domain, address or network a line; none: nothing. Empty: the internet."
        />
        <div class="columns">
          <Field
            label="Rate, both ways"
            name="rate"
            placeholder="1mbit"
            hint="Empty: not limited."
          />
          <Field label="Delay" name="delay" placeholder="200ms" hint="Added to each round trip." />
        </div>
        {value?.volumes.map(({ name }) => (
          <Field
            key={name}
            label={`Volume ${name}`}
            name={`${VOLUME}${name}`}
            placeholder="/data"
            hint="Where it is mounted; with :ro it is only read. Empty: it is not mounted."
          />
        ))}
        <Tick name="protected">It cannot be deleted until this is switched off</Tick>
        <Tick name="sudo" checked>
          Its user may become root with sudo
        </Tick>
      </details>
    </FormDialog>
  );
}
