import { ServiceError } from '../../client/errors.js';
import type { Answer } from '../../contract/types/index.js';
import { count } from '../../lib/text/count.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { sendDirectory } from '../images/build-directory.js';
import { isNotFound, request } from '../targets/client.js';
import { failOnError, SETUP_SECONDS, untilReady } from '../targets/wait-for-status.js';
import type { Fleet } from './load.js';
import { isUp, moreRunning, type Step, withProject } from './plan.js';

type Computer = Answer<'getComputer'>;

/** Throws CliError if the steps cannot succeed: too many computers, or secrets that are missing. */
export async function checkSteps(
  context: Context,
  { project, shown, file: { secrets } }: Fleet,
  { steps, exists }: { readonly steps: readonly Step[]; readonly exists: boolean },
): Promise<void> {
  const conflict = { exitCode: ExitCode.conflict, code: 'conflict' };
  if (secrets.length > 0) {
    const found = exists
      ? await request(context, 'listSecrets', { params: { project } })
      : undefined;
    const names = found?.secrets.map(({ name }) => name) ?? [];
    const missing = secrets.find((name) => !names.includes(name));
    if (missing !== undefined) {
      const create = exists ? '' : `vc project create ${project} && `;
      throw new CliError(`project ${project} has no secret ${missing}, which ${shown} needs`, {
        remedy: `set it: ${create}vc secret set ${missing} -p ${project}`,
        ...conflict,
      });
    }
  }
  const more = moreRunning(steps);
  if (more <= 0) return;
  const { running, max_running: most } = await request(context, 'getMe');
  if (running + more <= most) return;
  throw new CliError(
    `${shown} needs ${more} more running ${more === 1 ? 'computer' : 'computers'}: ${count(running, 'computer')} of at most ${most} would become ${running + more}`,
    { remedy: 'stop others, or ask for a higher limit: vc owner set', ...conflict },
  );
}

/** Builds the images of the computers that will be created, one after another. */
export async function buildImages(fleet: Fleet, steps: readonly Step[]): Promise<void> {
  const images = steps.flatMap(({ action, wanted }) =>
    (action === 'create' || action === 'recreate') && wanted?.image ? [wanted.image] : [],
  );
  const { inDirectory } = fleet;
  // With --json only the result is printed.
  const quiet = inDirectory.globals.quiet || inDirectory.globals.json;
  const context = { ...inDirectory, globals: { ...inDirectory.globals, json: false, quiet } };
  for (const image of new Map(images.map((one) => [one.tag, one])).values()) {
    await sendDirectory(context, { ...image, secrets: [], cache: true });
  }
}

/** Creates the project unless it exists; resolves to true if it did not. */
export async function createProject(context: Context, name: string): Promise<boolean> {
  try {
    await request(context, 'createProject', { body: { name } });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'name_taken') throw error;
    return false;
  }
}

/** Removes the project if it has no computers and no secrets; resolves to true if it did. */
export async function removeIfEmpty(context: Context, name: string): Promise<boolean> {
  const params = { project: name };
  const [{ computers }, { secrets }] = await Promise.all([
    request(context, 'getProject', { params }),
    request(context, 'listSecrets', { params }),
  ]);
  if (computers.length > 0 || secrets.length > 0) return false;
  await request(context, 'deleteProject', { params });
  return true;
}

/** Carries out the steps, each once what it needs is ready. */
export class StepRunner {
  readonly #context: Context;
  readonly #project: string;
  readonly #isNewProject: boolean;
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #running = new Map<string, Promise<Computer | undefined>>();

  constructor(
    context: Context,
    steps: readonly Step[],
    project: { readonly name: string; readonly isNew: boolean },
  ) {
    this.#context = context;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.#project = project.name;
    this.#isNewProject = project.isNew;
  }

  /** Carries out the step of a computer, once; resolves to the computer unless it was removed. */
  run(name: string): Promise<Computer | undefined> {
    const running = this.#running.get(name) ?? this.#start(name);
    this.#running.set(name, running);
    return running;
  }

  async #start(name: string): Promise<Computer | undefined> {
    const step = this.#steps.get(name);
    if (step === undefined) return undefined;
    if (step.action !== 'remove') await this.#removals();
    for (const needed of step.wanted?.needs ?? []) {
      await this.run(needed).catch((cause: unknown) => {
        throw new CliError(`it needs ${needed}, which is not ready`, { cause });
      });
    }
    return this.#carryOut(step);
  }

  /** Waits for removals, which make room for others; their failures are reported with them. */
  async #removals(): Promise<void> {
    const removals = [...this.#steps.values()].filter(({ action }) => action === 'remove');
    await Promise.allSettled(removals.map(({ name }) => this.run(name)));
  }

  async #carryOut({ action, wanted, existing, body }: Step): Promise<Computer | undefined> {
    if (existing !== undefined) {
      const params = { id: existing.id };
      if (action === 'remove' || action === 'recreate' || action === 'create') {
        await this.#remove(existing.id);
      } else {
        const changed =
          action === 'update'
            ? await request(this.#context, 'updateComputer', { params, body })
            : existing;
        const computer = isUp(existing)
          ? changed
          : await request(this.#context, 'startComputer', { params });
        return this.#ready(computer, wanted?.body.setup);
      }
    }
    if (wanted === undefined || action === 'remove') return undefined;
    const created = await request(this.#context, 'createComputer', {
      params: { project: this.#project },
      body: withProject(wanted, this.#isNewProject).body,
      ...(wanted.body.setup !== undefined && { query: { wait: '0' } }),
    });
    return this.#ready(created, wanted.body.setup);
  }

  async #remove(id: string): Promise<void> {
    const removing = request(this.#context, 'deleteComputer', { params: { id } });
    await removing.catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  async #ready(computer: Computer, setup: string | undefined): Promise<Computer> {
    const timeout = setup === undefined ? undefined : SETUP_SECONDS;
    const ready = await untilReady(this.#context, computer, { wait: true, timeout });
    failOnError(ready, `${this.#project}/${ready.name}`);
    return ready;
  }
}
