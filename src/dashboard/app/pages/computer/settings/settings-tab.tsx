import type { Computer, WallComputer } from '../../../api/types.js';
import { Field, given, Tick } from '../../../components/forms/field.js';
import { IntentForm } from '../../../components/forms/intent-form.js';
import { exactTime } from '../../../components/time.js';
import { tell } from '../../../state/notices.js';
import { may } from '../../../state/session.js';
import { noteComputer } from '../../../state/wall.js';
import { creatorOf } from '../../wall/tiles.js';

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

function SettingsForm({ computer }: { computer: Computer }) {
  const { id, name, auto_stop_minutes, protected: isProtected } = computer;
  return (
    <IntentForm<WallComputer>
      submit="Save"
      intent={(fields) => {
        const minutes = given(fields, 'auto_stop');
        const body = {
          name: given(fields, 'name') ?? '',
          auto_stop_minutes: minutes === undefined ? null : Number(minutes),
          protected: fields.has('protected'),
        };
        return { method: 'PATCH', path: `/computers/${id}`, body };
      }}
      onDone={(changed) => {
        noteComputer(changed);
        tell('Settings saved');
      }}
    >
      <Field label="Name" name="name" value={name} required maxLength={128} />
      <Field
        label="Stop after idle minutes"
        name="auto_stop"
        type="number"
        min={1}
        value={auto_stop_minutes ?? ''}
        hint="Empty: the computer runs until it is stopped."
      />
      <Tick name="protected" checked={isProtected}>
        Protect from deletion
      </Tick>
    </IntentForm>
  );
}

function facts(computer: Computer): [string, string][] {
  const { cpu, ram, gpu, resolution, engine, isolation, started_at } = computer;
  const { status, status_reason, labels, expires_at } = computer;
  return [
    ['Id', computer.id],
    ['Project', computer.project_name],
    ['System', computer.os],
    ['Image', computer.image],
    ['Engine', `${engine} (${isolation})`],
    ['Size', `${cpu} CPU, ${ram} GB memory${gpu === 'none' ? '' : `, ${gpu}`}`],
    ['Screen', `${resolution.width} × ${resolution.height}`],
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
