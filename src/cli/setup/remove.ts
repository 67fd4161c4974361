import type { EngineDescriptor, Leftover, SetupStep } from '../../engines/descriptor.js';
import { isInGroup } from '../../engines/local-host.js';
import { listStoredImages } from '../../engines/stored-images.js';
import type { Environment } from '../../profile/index.js';
import { hasSubordinateIds } from '../doctor/programs.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { readServiceRecord, runningProcess } from '../service/record.js';
import { missingPackages } from './plan.js';
import { type Grant, readGrants } from './record.js';

/** What `vc setup --remove` does. Planning changes nothing. */
export interface Removal {
  /** Run as this user, in this order. */
  readonly leftovers: readonly Leftover[];
  /** Run as root. */
  readonly steps: readonly SetupStep[];
  /** Taken back as root, after the steps. */
  readonly grants: readonly Grant[];
  /** What stays, with the reason. */
  readonly kept: readonly string[];
  /** Grants that stay in the record. */
  readonly keptGrants: readonly Grant[];
}

/** Throws while a service uses the state directory. */
export async function refuseRunning(directory: string): Promise<void> {
  const running = await runningProcess(await readServiceRecord(directory));
  if (running === undefined) return;
  throw new CliError(`the service runs (process ${running.pid})`, {
    remedy: 'stop it: vc service stop',
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}

interface RemovalOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** True if only some of the engines were chosen. */
  readonly isPartial: boolean;
  /** Replaced by tests. */
  readonly holds?: (grant: Grant) => Promise<boolean>;
}

export async function planRemoval(
  engines: readonly EngineDescriptor[],
  directory: string,
  { env, signal, isPartial, holds = grantHolds }: RemovalOptions,
): Promise<Removal> {
  const leftovers: Leftover[] = [];
  const steps: SetupStep[] = [];
  const kept: string[] = [];
  const keeping = new Set<string>();
  for (const descriptor of engines) {
    const { removal } = await descriptor.setup();
    const engine = await descriptor.open(directory);
    const probe = await engine.probe(signal);
    // Without an answer it is not known what needs it, unless it is not installed.
    const needs = probe.usable
      ? await removal.usedBy(directory, signal)
      : (await isInstalled(descriptor, env)) && probe.reason;
    if (needs) {
      keeping.add(descriptor.name);
      kept.push(`${descriptor.title}: ${needs}`);
      continue;
    }
    if (probe.usable) {
      leftovers.push(...((await removal.leftovers?.(directory, signal)) ?? []));
      const { images } = await listStoredImages([engine], signal);
      leftovers.push(...imageLeftovers(descriptor, directory, images));
    }
    steps.push(...((await removal.steps?.()) ?? []));
  }
  const isKept = ({ engine, ids }: Grant) =>
    ids === undefined
      ? keeping.has(engine) || engines.every(({ name }) => name !== engine)
      : // Every engine builds images with them.
        isPartial || keeping.size > 0;
  const grants: Grant[] = [];
  const keptGrants: Grant[] = [];
  for (const grant of await readGrants(directory)) {
    const isKnown = [...grants, ...keptGrants].some((each) => isSameRight(each, grant));
    if (isKnown || !(await holds(grant))) continue;
    (isKept(grant) ? keptGrants : grants).push(grant);
  }
  return { leftovers, steps, grants, kept, keptGrants };
}

/** False if it was taken back outside of vc. */
async function grantHolds({ user, group, ids }: Grant): Promise<boolean> {
  if (group !== undefined) return isInGroup(user, group);
  if (ids === undefined) return false;
  return (
    (await hasSubordinateIds(user, '/etc/subuid')) || (await hasSubordinateIds(user, '/etc/subgid'))
  );
}

function isSameRight(one: Grant, other: Grant): boolean {
  return one.user === other.user && one.group === other.group && one.ids === other.ids;
}

async function isInstalled(descriptor: EngineDescriptor, env: Environment): Promise<boolean> {
  // The first package is the engine itself.
  const [itself] = (await descriptor.setup()).packages;
  return itself !== undefined && (await missingPackages([itself], env)).length === 0;
}

/** The images, without those that owners saved, which belong to a service. */
function imageLeftovers(
  { title, images }: EngineDescriptor,
  directory: string,
  stored: readonly { readonly name: string; readonly kind: string }[],
): Leftover[] {
  const names = stored.filter(({ kind }) => kind === 'image').map(({ name }) => name);
  return [...new Set(names)].map((name) => ({
    title: `the image ${name} of ${title}`,
    remove: (signal) => images.remove(directory, name, signal),
  }));
}
