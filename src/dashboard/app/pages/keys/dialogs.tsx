import { call } from '../../api/http.js';
import type { CreatedKey, Key, Lists, RemovedKey } from '../../api/types.js';
import { EXPIRY, inSeconds } from '../../components/forms/computer-options.js';
import { Choice, Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { session } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { BUDGETS, budgetsOf, usedInAll } from './budgets.js';

const RIGHTS = [
  { value: 'manage', text: 'manage: everything, also create and delete' },
  { value: 'act', text: 'act: use and control computers' },
  { value: 'look', text: 'look: watch only' },
];
const KEY_EXPIRY = [
  ...EXPIRY,
  { value: '7776000', text: 'in 90 days' },
  { value: '31536000', text: 'in 1 year' },
];

interface Dialog<Answer> {
  readonly onDone: (answer: Answer) => void;
  readonly onClose: () => void;
}
type OfKey = Dialog<unknown> & { readonly of: Key };

const pathOf = ({ id }: Key) => `/keys/${encodeURIComponent(id)}`;

export function CreateKey({ onDone, onClose }: Dialog<CreatedKey>) {
  return (
    <FormDialog<CreatedKey>
      title="New key"
      submit="Create key"
      intent={(fields) => {
        const name = given(fields, 'name') ?? '';
        const seconds = given(fields, 'seconds');
        const project = given(fields, 'project');
        const rights = given(fields, 'rights') ?? 'manage';
        const body = {
          name,
          rights,
          ...(project === undefined ? {} : { project }),
          ...(seconds === undefined ? {} : { expires_at: inSeconds(seconds) }),
          ...budgetsOf(fields),
        };
        return { method: 'POST', path: '/keys', body };
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} hint="Who or what uses it." />
      <Choice label="Rights" name="rights" value="manage" options={RIGHTS} />
      <ProjectChoice />
      <Choice label="Expires" name="seconds" value="" options={KEY_EXPIRY} />
      <Budgets />
    </FormDialog>
  );
}

export function ChangeKey({ of: key, onDone, onClose }: OfKey) {
  const expiry = [{ value: 'keep', text: 'unchanged' }, ...KEY_EXPIRY];
  return (
    <FormDialog
      title={`Change ${key.name}`}
      submit="Save"
      intent={(fields) => {
        const seconds = given(fields, 'seconds');
        const expires_at = seconds === undefined ? null : inSeconds(seconds);
        const body = {
          name: given(fields, 'name') ?? '',
          rights: given(fields, 'rights') ?? key.rights,
          ...(seconds === 'keep' ? {} : { expires_at }),
          ...budgetsOf(fields),
        };
        return { method: 'PATCH', path: pathOf(key), body };
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} value={key.name} />
      <Choice label="Rights" name="rights" value={key.rights} options={RIGHTS} />
      <Choice label="Expires" name="seconds" value="keep" options={expiry} />
      <Budgets of={key} />
    </FormDialog>
  );
}

export function RevokeKey({ of: key, onDone, onClose }: OfKey) {
  const isOwn = key.id === session.value?.key.id;
  return (
    <FormDialog<RemovedKey>
      title={`Revoke ${key.name}?`}
      submit="Revoke key"
      danger
      intent={() => ({ method: 'DELETE', path: pathOf(key), vc: ['key', 'rm', key.id] })}
      onDone={(answer) => {
        const named = answer.made.map(({ name, owner }) =>
          owner ? `${name} (of ${owner})` : name,
        );
        const made = named.join(', ');
        tell(
          `Key ${key.name} revoked${made === '' ? '' : `; keys made with it still work: ${made}`}`,
        );
        onDone(answer);
      }}
      onClose={onClose}
    >
      <p>
        Its users lose access at once, and its connections end. This cannot be undone.
        {isOwn && <strong> It is the key of this session: you will be logged out.</strong>}
      </p>
    </FormDialog>
  );
}

/** What the key may use in all, from its creation on. */
function Budgets({ of: key }: { of?: Key }) {
  return (
    <fieldset>
      <legend>Budgets</legend>
      <div class="thirds">
        {BUDGETS.map(({ name, label }) => (
          <Field
            key={name}
            label={label}
            name={name}
            type="number"
            min={1}
            placeholder="no limit"
            value={key?.[name] ?? ''}
          />
        ))}
      </div>
      <p class="hint">
        What it may create, let run and do from its creation on.
        {key && ` Used: ${usedInAll(key)}.`}
      </p>
    </fieldset>
  );
}

/** A choice of one project, or all. */
function ProjectChoice() {
  const { value } = useData('projects', (signal) =>
    call<Lists['projects']>('GET', '/projects', { signal }),
  );
  const projects = (value?.projects ?? []).map(({ id, name }) => ({ value: id, text: name }));
  return (
    <Choice
      label="Project"
      name="project"
      value=""
      options={[{ value: '', text: 'all projects' }, ...projects]}
    />
  );
}
