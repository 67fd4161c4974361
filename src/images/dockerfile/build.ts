import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { withDeadline } from '../../lib/async/deadline.js';
import { writeTar } from '../../lib/tar/write.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { findOwner } from './commands.js';
import { configure } from './configure.js';
import type { BuildContext } from './context.js';
import { copyDigest, copyFromContext, copyFromMachine, directories } from './copy.js';
import { mistake } from './errors.js';
import { IgnoreRules, ignoreFiles } from './ignore.js';
import { LIMITS } from './instructions.js';
import type { BuildMachine, BuildMachines, Origin } from './machine.js';
import { PROXY_ARGS, planBuild } from './plan.js';
import type { BuildEvent } from './progress.js';
import { performRun } from './run.js';
import { parseDockerfile } from './stages.js';
import { type BaseImage, type ImageConfig, isStage, type StagePlan, type Step } from './steps.js';
import { keepTemporary, restoreTemporary } from './temporary.js';

export interface BuildOptions {
  readonly context: BuildContext;
  readonly machines: BuildMachines;
  /** Path in the context. */
  readonly dockerfile?: string;
  readonly target?: string;
  /** Values of ARG: in no event, and in keys as hashes only. */
  readonly args?: Readonly<Record<string, string>>;
  readonly secrets?: ReadonlyMap<string, Buffer>;
  /** Carries out every step, and saves it in place of what the cache has. */
  readonly noCache?: boolean;
  readonly platform?: string;
  /** Time of a step; default one hour. */
  readonly stepMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent: (event: BuildEvent) => void;
}

/** A built image: what its computers start from, and what its disk does not say. */
export interface BuiltImage {
  readonly origin: Origin;
  readonly config: ImageConfig;
}

/** Most steps of a stage that change the disk: each is a layer, and engines limit those. */
const MOST_LAYERS = 100;

/** Changes when the same steps give another disk. */
const CACHE_VERSION = 2;

/**
 * Builds an image from a Dockerfile. Steps that have been carried out before are taken from the cache. A
 * build that fails or is aborted leaves no machine; the steps that were done stay in the cache.
 */
export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const {
    context,
    machines,
    dockerfile: file = 'Dockerfile',
    args = {},
    signal,
    onEvent,
  } = options;
  const text = await context.text(file, 4 * LIMITS.characters);
  if (text === undefined) {
    const remedy = 'name another one with -f';
    throw new ApiError('invalid_request', `The context has no ${file}.`, { remedy });
  }
  await hideIgnored(context, file);
  const parsed = parseDockerfile(text, { file, args, platform: options.platform });
  const { target, stages, notes } = await planBuild(parsed, {
    args,
    target: options.target,
    findImage: (name) => machines.findImage(name, signal),
  });
  for (const { line, message } of notes) onEvent({ type: 'note', line, message });
  const build = new Build(options);
  // Finds what is missing before a machine is started.
  for (const stage of stages) build.prepare(stage);
  const origin = await build.build(target);
  return { origin, config: target.config };
}

/** The Dockerfile and its `.dockerignore` are sent in any case, but not copied if they are ignored. */
async function hideIgnored(context: BuildContext, file: string): Promise<void> {
  for (const path of ignoreFiles(file)) {
    const text = await context.text(path, LIMITS.characters);
    if (text === undefined) continue;
    const rules = new IgnoreRules(text);
    for (const sent of [file, path]) if (rules.ignores(sent)) context.remove(sent);
    return;
  }
}

class Build {
  readonly #options: BuildOptions;
  readonly #secrets: ReadonlyMap<string, Buffer>;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #keys = new Map<StagePlan, readonly string[]>();
  readonly #built = new Map<StagePlan, Origin>();
  #steps = 0;

  constructor(options: BuildOptions) {
    this.#options = options;
    this.#secrets = options.secrets ?? new Map();
    const proxies = Object.entries(options.args ?? {}).filter(([name]) =>
      PROXY_ARGS.includes(name.toUpperCase()),
    );
    this.#variables = Object.fromEntries(proxies);
  }

  /** Finds the keys of a stage's steps, after those of the stages that it needs. */
  prepare(stage: StagePlan): void {
    const layers = stage.steps.filter(({ action }) => action.kind !== 'workdir').length;
    if (layers > MOST_LAYERS) {
      const problem = `the stage has ${layers} steps; ${MOST_LAYERS} is the limit`;
      throw mistake(stage, problem, 'join commands with && or a here-document');
    }
    let key = this.#keyOf(stage.base);
    const keys = stage.steps.map((step) => {
      this.#checkSecrets(step);
      const { action, from } = step;
      const copied =
        action.kind === 'copy' && from === undefined
          ? placed(step, () => copyDigest(this.#options.context, action))
          : from && this.#keyOf(from);
      key = digest([CACHE_VERSION, key, action, copied]);
      return key;
    });
    this.#keys.set(stage, keys);
  }

  /** Carries out what the cache does not have, and returns where the stage's disk is. */
  async build(stage: StagePlan): Promise<Origin> {
    const built = this.#built.get(stage);
    if (built !== undefined) return built;
    const { steps, base } = stage;
    const done = await this.#cachedSteps(stage);
    const left = steps.slice(done);
    const start = done > 0 ? this.#originAt(stage, done) : await this.#originOf(base);
    for (const { from } of left) if (from !== undefined) await this.#originOf(from);
    const from = this.#begin(stage, 0);
    if (left.length === 0) {
      this.#emit({ type: 'cached', step: from });
      this.#reportCached(stage, done);
    } else {
      await this.#perform(stage, done, start, from);
    }
    const origin = steps.length > 0 ? this.#originAt(stage, steps.length) : start;
    this.#built.set(stage, origin);
    return origin;
  }

  async #perform(stage: StagePlan, done: number, start: Origin, number: number): Promise<void> {
    const { machines, signal } = this.#options;
    const machine = await this.#timed(number, () => this.#start(start, signal));
    let unsavedMs = 0;
    try {
      this.#reportCached(stage, done);
      for (const [index, step] of stage.steps.entries()) {
        if (index < done) continue;
        signal?.throwIfAborted();
        const position = this.#begin(stage, index + 1);
        await this.#timed(position, async () => {
          const began = performance.now();
          await this.#step(machine, step, position);
          unsavedMs += performance.now() - began;
          const key = this.#keys.get(stage)?.[index];
          if (key === undefined || !isSaved(stage, index)) return;
          const isLast = index === stage.steps.length - 1;
          if (!isLast && unsavedMs < machines.saveMs) return;
          unsavedMs = 0;
          await keepTemporary(machine, signal);
          await machine.save(key, signal);
        });
      }
    } finally {
      await machine.close();
    }
  }

  async #start(origin: Origin, signal?: AbortSignal): Promise<BuildMachine> {
    const machine = await this.#options.machines.start(origin, signal);
    try {
      await restoreTemporary(machine, signal);
      return machine;
    } catch (error) {
      await machine.close();
      throw error;
    }
  }

  async #step(machine: BuildMachine, step: Step, number: number): Promise<void> {
    const { stepMs = 3_600_000, signal } = this.#options;
    const onTimeout = () => {
      const message = `${step.file}:${step.line}: ${step.text}: it did not end in ${stepMs / 1000} s.`;
      return new ApiError('guest_timeout', message);
    };
    try {
      await withDeadline({ ms: stepMs, onTimeout, signal }, (inTime) =>
        this.#act(machine, step, number, inTime),
      );
    } catch (error) {
      if (error instanceof ApiError || signal?.aborted) throw error;
      const remedy = 'correct the step and build again; steps in the cache are not repeated';
      throw mistake(step, `${step.text}: ${errorMessage(error)}`, remedy);
    }
  }

  async #act(
    machine: BuildMachine,
    { action, from }: Step,
    number: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (action.kind === 'workdir') {
      const { uid, gid } = await findOwner(machine, action.user || 'root', signal);
      await machine.put(writeTar(directories(action.path, { uid, gid })), signal);
    } else if (action.kind === 'configure') {
      await configure(machine, action, signal);
    } else if (action.kind === 'run') {
      const began = performance.now();
      await performRun(machine, action, {
        secrets: this.#secrets,
        variables: this.#variables,
        onLine: (text, stream) => {
          const seconds = (performance.now() - began) / 1000;
          this.#emit({ type: 'output', step: number, stream, seconds, text });
        },
        signal,
      });
    } else if (from === undefined) {
      await copyFromContext(machine, action, this.#options.context, signal);
    } else {
      const source = await this.#start(await this.#originOf(from), signal);
      try {
        await copyFromMachine(machine, action, source, signal);
      } finally {
        await source.close();
      }
    }
  }

  /** The number of steps up to the last one that is saved. */
  async #cachedSteps(stage: StagePlan): Promise<number> {
    const { machines, noCache, signal } = this.#options;
    const keys = this.#keys.get(stage) ?? [];
    for (let index = noCache ? 0 : keys.length; index > 0; index -= 1) {
      const key = keys[index - 1];
      if (key === undefined || !isSaved(stage, index - 1)) continue;
      if (await machines.hasStep(key, signal)) return index;
    }
    return 0;
  }

  async #originOf(source: StagePlan | BaseImage): Promise<Origin> {
    return isStage(source) ? this.build(source) : { image: source };
  }

  /** The disk after a stage's first `count` steps. */
  #originAt(stage: StagePlan, count: number): Origin {
    return { step: this.#keys.get(stage)?.[count - 1] ?? '' };
  }

  #keyOf(source: StagePlan | BaseImage): string {
    if (!isStage(source)) return digest(['image', source.id]);
    return this.#keys.get(source)?.at(-1) ?? this.#keyOf(source.base);
  }

  #checkSecrets(step: Step): void {
    if (step.action.kind !== 'run') return;
    const missing = step.action.mounts.find(
      ({ type, id, required }) => type === 'secret' && required && !this.#secrets.has(id),
    );
    if (missing === undefined) return;
    const remedy = `pass it with --secret id=${missing.id},src=FILE`;
    throw mistake(step, `the secret ${missing.id} is missing`, remedy);
  }

  /** Reports a step of a stage, FROM being the one at 0. Returns its number. */
  #begin(stage: StagePlan, index: number): number {
    const { text, line } = index === 0 ? stage : (stage.steps[index - 1] ?? stage);
    this.#steps += 1;
    const total = stage.steps.length + 1;
    const place = { stage: stage.name, position: index + 1, total, line, text };
    this.#emit({ type: 'step', step: this.#steps, ...place });
    return this.#steps;
  }

  #reportCached(stage: StagePlan, done: number): void {
    for (let index = 1; index <= done; index += 1) {
      this.#emit({ type: 'cached', step: this.#begin(stage, index) });
    }
  }

  async #timed<T>(step: number, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const result = await work();
      this.#emit({ type: 'done', step, seconds: (performance.now() - began) / 1000 });
      return result;
    } catch (error) {
      this.#emit({ type: 'failed', step, message: errorMessage(error) });
      throw error;
    }
  }

  #emit(event: BuildEvent): void {
    this.#options.onEvent(event);
  }
}

/** Directories are made again rather than saved, unless they end the stage. */
function isSaved({ steps }: StagePlan, index: number): boolean {
  return steps[index]?.action.kind !== 'workdir' || index === steps.length - 1;
}

function placed<T>(step: Step, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ApiError ? error : mistake(step, `${step.text}: ${errorMessage(error)}`);
  }
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
