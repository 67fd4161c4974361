import type { EngineDescriptor, Leftover, SetupStep } from '../../engines/descriptor.js';
import { listStoredImages } from '../../engines/stored-images.js';
import type { Environment } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { readServiceRecord, runningProcess } from '../service/record.js';
import { missingPackages } from './plan.js';
import { type Grant, readGrants, undoGrant } from './record.js';

/** What `vc setup --remove` does. Planning changes nothing. */
export interface Removal {
  /** Run as this user, in this order. */
  readonly leftovers: readonly Leftover[];
  /** Run as root. */
  readonly steps: readonly SetupStep[];
  /** What stays, with the reason. */
  readonly kept: readonly string[];
  /** Grants that are not taken back yet. */
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

export async function planRemoval(
  engines: readonly EngineDescriptor[],
  directory: string,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
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
  const grants = await readGrants(directory);
  const isKept = ({ engine }: Grant) =>
    keeping.has(engine) || engines.every(({ name }) => name !== engine);
  steps.push(...grants.filter((grant) => !isKept(grant)).map(undoGrant));
  return { leftovers, steps, kept, keptGrants: grants.filter(isKept) };
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
