import type { Computer, WallComputer } from '../../../api/types.js';
import {
  EXPIRY,
  LABELS_HINT,
  RESOLUTION,
  sizes,
} from '../../../components/forms/computer-options.js';
import { Area, Choice, Field, Tick } from '../../../components/forms/field.js';
import { IntentForm } from '../../../components/forms/intent-form.js';
import { writePairs } from '../../../components/forms/pairs.js';
import { creatorOf } from '../../../components/names.js';
import { exactTime } from '../../../components/time.js';
import { tell } from '../../../state/notices.js';
import { may } from '../../../state/session.js';
import { noteComputer } from '../../../state/wall.js';
import { KEEP, settingsOf } from './settings-of.js';

/** The settings that can be changed, and the others. */
export function SettingsTab({ computer }: { computer: Computer }) {
  return (
    <div class="page settings">
      {may.value('manage') && (
        <section aria-labelledby="settings-change">
          <h2 id="settings-change">Settings</h2>
          <SettingsForm computer={computer} />
        </section>
      )}
      <section aria-labelledby="settings-facts">
        <h2 id="settings-facts">About</h2>
        <dl>
          {facts(computer).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="break">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

const IDLE = [
  { value: 'stop', text: 'stopped' },
  { value: 'delete', text: 'deleted' },
];

function SettingsForm({ computer }: { computer: Computer }) {
  const { id, cpu, ram, resolution, expires_at, labels, env_names } = computer;
  const expiry = [
    { value: KEEP, text: expires_at === null ? 'never' : exactTime(expires_at) },
    ...EXPIRY.filter(({ value }) => value !== '' || expires_at !== null),
  ];
  return (
    <IntentForm<WallComputer>
      submit="Save"
      intent={(fields) => ({
        method: 'PATCH',
        path: `/computers/${id}`,
        body: settingsOf(fields, computer),
      })}
      onDone={(changed) => {
        noteComputer(changed);
        const { pending } = changed;
        tell(`Settings saved${pending ? `; from the next start on: ${pending.join(', ')}` : ''}`);
      }}
    >
      <Field label="Name" name="name" value={computer.name} required maxLength={128} />
      <div class="columns">
        <Choice label="CPU" name="cpu" value={`${cpu}`} options={sizes(cpu)} />
        <Choice label="Memory, GB" name="ram" value={`${ram}`} options={sizes(ram)} />
      </div>
      <Field
        label="Resolution"
        name="resolution"
        value={`${resolution.width}x${resolution.height}`}
        required
        pattern={RESOLUTION}
        title="a width and a height, such as 1280x800"
        hint="At once. Processors and memory of a virtual machine change at its next start."
      />
      <div class="columns">
        <Field
          label="After idle minutes"
          name="auto_stop"
          type="number"
          min={1}
          value={computer.auto_stop_minutes ?? ''}
          hint="Empty: the computer runs until it is stopped."
        />
        <Choice label="It is then" name="on_idle" value={computer.on_idle} options={IDLE} />
      </div>
      <Choice
        key={expires_at}
        label="Expires"
        name="expires"
        value={KEEP}
        options={expiry}
        hint="It is deleted then, with its disk."
      />
      <Area
        label="Labels"
        name="labels"
        rows={Math.min(Math.max(Object.keys(labels).length, 2), 8)}
        value={writePairs(labels)}
        hint={LABELS_HINT}
      />
      <Variables key={env_names.join()} names={env_names} />
      <Tick name="protected" checked={computer.protected}>
        Protect from deletion
      </Tick>
    </IntentForm>
  );
}

/** The values are never shown. */
function Variables({ names }: { names: readonly string[] }) {
  return (
    <>
      <Area
        label="Set variables"
        name="env"
        placeholder="API_URL=https://api.example.com"
        hint="One NAME=VALUE a line. The desktop has them from its next start on."
      />
      {names.length > 0 && (
        <fieldset>
          <legend>Remove variables</legend>
          {names.map((name) => (
            <Tick key={name} name={`remove ${name}`}>
              <code>{name}</code>
            </Tick>
          ))}
        </fieldset>
      )}
    </>
  );
}

function facts(computer: Computer): [string, string][] {
  const { cpu, ram, gpu, resolution, engine, isolation, started_at } = computer;
  const { status, status_reason, labels, expires_at, pending } = computer;
  return [
    ['Id', computer.id],
    ['Project', computer.project_name],
    ['System', computer.os],
    ['Image', computer.image],
    ['Engine', `${engine} (${isolation})`],
    ['Size', `${cpu} CPU, ${ram} GB memory${gpu === 'none' ? '' : `, ${gpu}`}`],
    ['Screen', `${resolution.width} × ${resolution.height}`],
    ...(pending ? [['At the next start', pending.join(', ')] as [string, string]] : []),
    ['Created', exactTime(computer.created_at)],
    ['Made by', creatorOf(computer)],
    ['Status', status_reason === undefined ? status : `${status}: ${status_reason}`],
    [
      'Labels',
      Object.entries(labels)
        .map((label) => label.join('='))
        .join(', ') || 'none',
    ],
    ['Expires', expires_at === null ? 'never' : exactTime(expires_at)],
    ['Started', started_at === null ? 'not running' : exactTime(started_at)],
  ];
}
