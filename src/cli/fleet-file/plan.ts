import { isDeepStrictEqual } from 'node:util';
import type { Answer, BodyInput } from '../../contract/types/index.js';
import { UsageError } from '../errors/cli-error.js';
import { isOfFile, LABEL_PREFIX, UP } from './own-labels.js';
import type { Wanted } from './wanted.js';

type Computer = Answer<'getComputer'>;
type Changes = NonNullable<BodyInput<'updateComputer'>>;

/** What brings one computer to the state that the file describes. */
export interface Step {
  readonly name: string;
  readonly action: 'create' | 'recreate' | 'update' | 'start' | 'remove' | 'none';
  /** The options that differ. */
  readonly changes: readonly string[];
  readonly wanted?: Wanted;
  readonly existing?: Computer;
  /** For `update`. */
  readonly body?: Changes;
  /** For `recreate`: what can be updated without it. */
  readonly instead?: Step;
}

/**
 * The steps from the computers that exist to those that are wanted: in their order, and then those that
 * the file made and no longer has. Throws UsageError if a computer of the same name is not the file's.
 */
export function planOf(wanted: readonly Wanted[], existing: readonly Computer[]): Step[] {
  const byName = new Map(existing.map((computer) => [computer.name, computer]));
  const names = new Set(wanted.map(({ name }) => name));
  const isMadeProject = existing.some((one) => isOfFile(one) && UP.project in one.labels);
  const foreign = existing.find(
    (one) => names.has(one.name) && !isOfFile(one) && one.status !== 'deleting',
  );
  if (foreign !== undefined) {
    const shown = `${foreign.project_name}/${foreign.name}`;
    throw new UsageError(
      `${shown} exists and was not created by vc up`,
      `rename one of them: vc computer update ${shown} --name NAME`,
    );
  }
  return [
    ...wanted.map((one) => stepOf(withProject(one, isMadeProject), byName.get(one.name))),
    ...existing
      .filter((one) => isOfFile(one) && !names.has(one.name))
      .map((one): Step => ({ name: one.name, action: 'remove', changes: [], existing: one })),
  ];
}

/** Marks a computer of a project that `vc up` has created. */
export function withProject(wanted: Wanted, isMade: boolean): Wanted {
  if (!isMade) return wanted;
  const { body } = wanted;
  return { ...wanted, body: { ...body, labels: { ...body.labels, [UP.project]: '' } } };
}

/** How many more computers run after the steps, of which some are carried out. */
export function moreRunning(steps: readonly Step[]): number {
  return steps
    .map(({ action, existing }) => {
      const runs = existing !== undefined && isUp(existing);
      if (action === 'remove') return runs ? -1 : 0;
      return action === 'none' || runs ? 0 : 1;
    })
    .reduce<number>((sum, one) => sum + one, 0);
}

function stepOf(wanted: Wanted, existing: Computer | undefined): Step {
  const { name, body } = wanted;
  if (existing === undefined || existing.status === 'deleting') {
    return { name, action: 'create', changes: [], wanted, ...(existing && { existing }) };
  }
  const same = { name, wanted, existing };
  if (existing.status === 'error') return { ...same, action: 'recreate', changes: ['status'] };
  const { [UP.config]: config } = existing.labels;
  const { [UP.config]: wantedConfig, ...others } = body.labels;
  if (config !== wantedConfig) {
    // The label stays: it tells the next run that the computer still differs.
    const labels = config === undefined ? others : { ...others, [UP.config]: config };
    const instead = stepOf({ ...wanted, body: { ...body, labels } }, existing);
    return { ...same, action: 'recreate', changes: fixedChanges(body, existing), instead };
  }
  const changed = changesOf(wanted, existing);
  const changes = changedOptions(changed);
  if (changes.length > 0) return { ...same, action: 'update', changes, body: changed };
  if (!isUp(existing)) return { ...same, action: 'start', changes: ['status'] };
  return { ...same, action: 'none', changes };
}

type ShortStep = Pick<Step, 'action' | 'changes'>;

/** A step as `--json` shows it. */
export function inShort({
  action,
  changes,
  instead,
}: Step): ShortStep & { readonly instead?: ShortStep } {
  if (instead === undefined) return { action, changes };
  return { action, changes, instead: { action: instead.action, changes: instead.changes } };
}

/** Whether it runs, or will without a request. */
export function isUp({ status }: Computer): boolean {
  return status === 'running' || status === 'starting';
}

const SHOWN = ['os', 'gpu', 'image', 'engine', 'timezone', 'locale', 'sudo'] as const;

/** The options that cannot be changed and differ; the digest includes some that are not shown. */
function fixedChanges(body: Wanted['body'], existing: Computer): readonly string[] {
  const differ = SHOWN.filter(
    (key) => body[key] !== undefined && !isDeepStrictEqual(body[key], existing[key]),
  );
  const mounts = isDeepStrictEqual(body.volumes ?? [], existing.volumes ?? []) ? [] : ['volumes'];
  const all = [...differ, ...mounts];
  return all.length > 0 ? all : ['files, setup, build or a removed option'];
}

/** The request that changes what differs and can be changed. */
function changesOf({ body }: Wanted, existing: Computer): Changes {
  const { labels, network = 'internet' } = body;
  const differs = (key: string) => labels[key] !== existing.labels[key];
  const gone = Object.keys(existing.labels).filter((key) => !(key in labels));
  const names = Object.keys(body.env ?? {});
  const goneNames = existing.env_names.filter((name) => !names.includes(name));
  const isEnvSame =
    !differs(UP.env) && goneNames.length === 0 && names.length === existing.env_names.length;
  const labelChanges = {
    ...Object.fromEntries(Object.entries(labels).filter(([key]) => differs(key))),
    ...Object.fromEntries(gone.map((key) => [key, null])),
  };
  return {
    ...(body.cpu !== existing.cpu && { cpu: body.cpu }),
    ...(body.ram !== existing.ram && { ram: body.ram }),
    ...(!isDeepStrictEqual(body.resolution, existing.resolution) && {
      resolution: body.resolution,
    }),
    ...(body.auto_stop_minutes !== existing.auto_stop_minutes && {
      auto_stop_minutes: body.auto_stop_minutes,
    }),
    ...(body.on_idle !== existing.on_idle && { on_idle: body.on_idle }),
    ...(body.protected !== existing.protected && { protected: body.protected }),
    ...(!isDeepStrictEqual(network, existing.network) && { network }),
    ...(differs(UP.expires) && { expires_at: expiryOf(body.expires_in, existing.created_at) }),
    ...(!isEnvSame && { env: { ...body.env, ...nulls(goneNames) } }),
    ...(Object.keys(labelChanges).length > 0 && { labels: labelChanges }),
  };
}

/** The options of the file that a request changes. */
function changedOptions(changes: Changes): readonly string[] {
  const isOwn = Object.keys(changes.labels ?? {}).every((name) => name.startsWith(LABEL_PREFIX));
  return Object.keys(changes)
    .filter((key) => key !== 'labels' || !isOwn)
    .map((key) => (key === 'expires_at' ? 'expires_in' : key));
}

function nulls(names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function expiryOf(seconds: number | undefined, created: string): string | null {
  if (seconds === undefined) return null;
  return new Date(Date.parse(created) + seconds * 1000).toISOString();
}
