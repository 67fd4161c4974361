import type { ChalkInstance } from 'chalk';
import type {
  Answer,
  Computer,
  Key,
  Owner,
  Project,
  Secret,
  streams,
  Webhook,
} from '../../contract/index.js';
import { imageNote } from '../../images/default-images.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { shownLabels } from '../input/labels.js';
import { shownNetwork } from './network.js';
import { size } from './size.js';
import type { Column, RecordField } from './table.js';

export const projectColumns: readonly Column<Project>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'COMPUTERS', value: (project) => String(project.computer_count) },
  { header: 'CREATED', value: (project) => project.created_at, isTime: true, spare: 1 },
  { header: 'ID', spare: 2, value: ({ id }) => id, color: (text, chalk) => chalk.dim(text) },
  { header: 'UPDATED', value: (project) => project.updated_at, isTime: true, wide: true },
];

/** NAME is in the form that commands accept. */
export const computerColumns: readonly Column<Computer>[] = [
  { header: 'NAME', value: (c) => `${c.project_name}/${c.name}`, shrinks: true },
  { header: 'STATUS', value: ({ status }) => status, color: colorStatus },
  { header: 'OS', spare: 2, value: ({ os }) => os },
  { header: 'CPU', spare: 3, value: ({ cpu }) => String(cpu) },
  { header: 'RAM', spare: 4, value: ({ ram }) => `${ram} GB` },
  { header: 'ENGINE', spare: 5, value: ({ engine }) => engine },
  { header: 'CREATED', spare: 1, value: (computer) => computer.created_at, isTime: true },
  { header: 'ID', spare: 6, value: ({ id }) => id, color: (text, chalk) => chalk.dim(text) },
  { header: 'STARTED', value: ({ started_at }) => started_at ?? 'never', isTime: true, wide: true },
  { header: 'ISOLATION', value: ({ isolation }) => isolation, wide: true },
  { header: 'MEMBER', value: ({ member }) => member ?? '', wide: true },
  { header: 'IMAGE', value: ({ image }) => image, wide: true },
  {
    header: 'SCREEN',
    value: ({ resolution }) => `${resolution.width}x${resolution.height}`,
    wide: true,
  },
  { header: 'AUTO-STOP', value: autoStop, wide: true },
  { header: 'EXPIRES', value: (c) => c.expires_at ?? 'never', isTime: true, wide: true },
  { header: 'LABELS', value: ({ labels }) => shownLabels(labels), wide: true },
  { header: 'PROTECTED', value: (c) => (c.protected ? 'yes' : 'no'), wide: true },
  { header: 'VARIABLES', value: (c) => c.env_names.join(' '), wide: true, shrinks: true },
  { header: 'TIME ZONE', value: ({ timezone }) => timezone ?? '', wide: true },
  { header: 'LOCALE', value: ({ locale }) => locale ?? '', wide: true },
  { header: 'SUDO', value: ({ sudo }) => (sudo ? 'yes' : 'no'), wide: true },
  { header: 'CREATED BY', value: creator, wide: true },
];

export const keyColumns: readonly Column<Key>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'ID', spare: 2, value: ({ id }) => id },
  { header: 'PREFIX', spare: 4, value: ({ prefix }) => prefix ?? '' },
  { header: 'RIGHTS', value: ({ rights }) => rights },
  { header: 'PROJECT', value: ({ project }) => project?.name ?? 'all', shrinks: true },
  { header: 'EXPIRES', value: (key) => key.expires_at ?? 'never', isTime: true },
  { header: 'CREATED', value: (key) => key.created_at, isTime: true, spare: 3 },
  { header: 'LAST USED', value: (key) => key.last_used_at ?? 'never', isTime: true, spare: 1 },
  { header: 'COMPUTERS', value: (key) => used(key.used.computers, key.max_computers), wide: true },
  { header: 'HOURS', value: (key) => used(key.used.hours, key.max_hours), wide: true },
  { header: 'ACTIONS', value: (key) => used(key.used.actions, key.max_actions), wide: true },
  { header: 'CREATED BY', value: (key) => key.created_by ?? '', wide: true },
];

/** The lines of `vc key get`. */
export function keyFields(key: Key): RecordField[] {
  return [
    ['name', key.name],
    ['id', key.id],
    ['prefix', key.prefix ?? ''],
    ['rights', key.rights],
    ['project', key.project?.name ?? 'all'],
    ['expires', key.expires_at ?? 'never', 'time'],
    ['created', key.created_at, 'time'],
    ['last used', key.last_used_at ?? 'never', 'time'],
    ...(key.created_by === null ? [] : [['created by', key.created_by] as [string, string]]),
    ['computers', used(key.used.computers, key.max_computers)],
    ['hours', used(key.used.hours, key.max_hours)],
    ['actions', used(key.used.actions, key.max_actions)],
  ];
}

/** `2 of 5 computers, 0.5 of 10 hours` of a key with a budget; undefined for one without. */
export function budgetOf(key: Pick<Key, 'used' | Limit>): string | undefined {
  const limits = (['computers', 'hours', 'actions'] as const).flatMap((what) => {
    const most = key[`max_${what}`];
    // An older service has no budgets.
    return most == null ? [] : [`${used(key.used[what], most)} ${what}`];
  });
  return limits.length === 0 ? undefined : limits.join(', ');
}

type Limit = 'max_computers' | 'max_hours' | 'max_actions';

/** What was used, and of how much if there is a budget. */
function used(amount: number, most: number | null): string {
  return most === null ? String(amount) : `${amount} of ${most}`;
}

export const ownerColumns: readonly Column<Owner>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'ROLE', value: ({ role }) => role },
  { header: 'STATUS', value: ({ status }) => status },
  { header: 'RUNNING', value: ({ running }) => String(running) },
  { header: 'MAX RUNNING', value: (owner) => limit(owner.max_running) },
  { header: 'STORAGE', spare: 5, value: (owner) => size(owner.storage_bytes) },
  { header: 'MAX STORAGE', wide: true, value: (owner) => limit(owner.max_storage, ' GB') },
  { header: 'PROJECTS', spare: 3, value: (owner) => String(owner.project_count) },
  { header: 'COMPUTERS', spare: 4, value: (owner) => String(owner.computer_count) },
  { header: 'CREATED', value: (owner) => owner.created_at, isTime: true, spare: 1 },
  { header: 'ID', spare: 2, value: ({ id }) => id, color: (text, chalk) => chalk.dim(text) },
  { header: 'CREATED BY', value: (owner) => owner.created_by ?? '', wide: true },
];

export const connectionColumns: readonly Column<streams.Connection>[] = [
  { header: 'NAME', value: ({ name }) => name },
  { header: 'URL', value: ({ url }) => url, shrinks: true },
  { header: 'KEY', value: (connection) => (connection.has_stream_key ? 'kept' : 'none') },
  { header: 'CREATED', value: (connection) => connection.created_at, isTime: true, spare: 1 },
];

export const secretColumns: readonly Column<Secret>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'SET', value: (secret) => secret.updated_at, isTime: true },
  { header: 'CREATED', value: (secret) => secret.created_at, isTime: true, wide: true },
];

export const webhookColumns: readonly Column<Webhook>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'URL', value: ({ url }) => url, shrinks: true },
  { header: 'EVENTS', value: ({ events }) => events.join(','), shrinks: true },
  { header: 'STATUS', value: ({ status }) => status },
  { header: 'PENDING', value: ({ pending }) => String(pending), spare: 2 },
  { header: 'CREATED', value: (webhook) => webhook.created_at, isTime: true, spare: 1 },
];

/** The lines of `vc webhook get`. */
export function webhookFields(webhook: Webhook): RecordField[] {
  return [
    ['id', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events.join(', ')],
    ['status', webhook.status],
    ['pending', String(webhook.pending)],
    ['created', webhook.created_at, 'time'],
  ];
}

export const deliveryColumns: readonly Column<Answer<'listDeliveries'>['deliveries'][number]>[] = [
  { header: 'AT', value: ({ at }) => at, isTime: true },
  { header: 'EVENT', value: ({ type }) => type },
  { header: 'STATUS', value: ({ status }) => status },
  { header: 'CODE', value: ({ status_code }) => String(status_code ?? '') },
  { header: 'ATTEMPTS', value: ({ attempts }) => String(attempts), spare: 2 },
  { header: 'NEXT', value: (delivery) => delivery.next_attempt_at ?? '', isTime: true, spare: 1 },
  { header: 'ERROR', value: ({ error }) => error ?? '', shrinks: true },
  { header: 'ID', value: ({ id }) => id, wide: true },
];

/** The lines of `vc get`. */
export function computerFields(computer: Computer): RecordField[] {
  const { resolution, status_reason, started_at, url, expires_at, timezone, locale } = computer;
  const note = imageNote(computer.image);
  return [
    ['name', `${computer.project_name}/${computer.name}`],
    ['id', computer.id],
    ['status', status_reason ? `${computer.status}: ${status_reason}` : computer.status],
    ['os', computer.os],
    ['size', `${computer.cpu} cores, ${computer.ram} GB`],
    ...(computer.gpu === 'none' ? [] : [['gpu', computer.gpu] as [string, string]]),
    ['screen', `${resolution.width}x${resolution.height} at start`],
    ...(computer.pending ? [['at next start', computer.pending.join(', ')] as const] : []),
    ['engine', `${computer.engine} (${computer.isolation})`],
    ...(computer.member ? [['member', computer.member] as [string, string]] : []),
    ['image', note === undefined ? computer.image : `${computer.image} (${note})`],
    ['created', computer.created_at, 'time'],
    ['started', started_at ?? 'never', 'time'],
    ['auto-stop', autoStop(computer)],
    ...(expires_at === null ? [] : [['expires', expires_at, 'time'] as const]),
    ...(Object.keys(computer.labels).length === 0
      ? []
      : [['labels', shownLabels(computer.labels)] as const]),
    ...(computer.env_names.length === 0
      ? []
      : [['variables', computer.env_names.join(', ')] as const]),
    ...(timezone === null ? [] : [['time zone', timezone] as const]),
    ...(locale === null ? [] : [['locale', locale] as const]),
    ...(computer.sudo ? [] : [['sudo', 'no'] as const]),
    ...(computer.network === 'internet'
      ? []
      : [['network', shownNetwork(computer.network)] as const]),
    ...(computer.volumes ?? []).map(
      (mount): RecordField => [
        'volume',
        `${mount.name}:${mount.path}${mount.read_only ? ':ro' : ''}`,
      ],
    ),
    ...creatorField(computer),
    ...controlField(computer),
    ['protected', computer.protected ? 'yes' : 'no'],
    ...(url === null ? [] : [['view', viewCommand(computer)] as [string, string]]),
  ];
}

/** The name of the key as `vc key ls` shows it. */
function creator({ created_by }: Computer): string {
  return created_by?.name ?? created_by?.id ?? '';
}

function creatorField({ created_by: key }: Computer): RecordField[] {
  return key ? [['created by', keyNamed(key.name, key.id)]] : [];
}

/** An API key in sentences: `key "ci"`, or its id if its name is not known. */
export function keyNamed(name: string | null | undefined, id: string): string {
  return name ? `key ${JSON.stringify(name)}` : `key ${id}`;
}

function controlField({ control }: Computer): RecordField[] {
  if (control === null) return [];
  const { holder, since } = control;
  return [
    ['control', keyNamed(holder.key_name, holder.key_id)],
    ['control since', since, 'time'],
  ];
}

/** The lines of `vc owner get`. */
export function ownerFields(owner: Owner): RecordField[] {
  return [
    ['name', owner.name],
    ['id', owner.id],
    ['role', owner.role],
    ['status', owner.status],
    ['projects', String(owner.project_count)],
    ['computers', `${owner.computer_count}, ${owner.running} running`],
    ['max running', limit(owner.max_running)],
    ['storage', size(owner.storage_bytes)],
    ['max storage', limit(owner.max_storage, ' GB')],
    ['created', owner.created_at, 'time'],
    ...(owner.created_by === null ? [] : [['created by', owner.created_by] as [string, string]]),
  ];
}

/** An owner's own limit, or that it is the service's. */
function limit(most: number | null, unit = ''): string {
  return most === null ? 'default' : `${most}${unit}`;
}

function autoStop({ auto_stop_minutes: minutes, on_idle }: Computer): string {
  if (minutes === null) return 'never';
  return `after ${minutes} min idle${on_idle === 'delete' ? ', deletes it' : ''}`;
}

/** The computer's `url` opens the live view only with a ticket, which this command gets. */
function viewCommand({ project_name, name }: Computer): string {
  return `vc view ${shellWord(`${project_name}/${name}`)}`;
}

function colorStatus(status: string, chalk: ChalkInstance): string {
  if (status === 'running') return chalk.green(status);
  if (status === 'error') return chalk.red(status);
  return status === 'stopped' ? chalk.dim(status) : chalk.yellow(status);
}
