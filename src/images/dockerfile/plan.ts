import { mistake, type Place } from './errors.js';
import type { Instruction } from './instructions.js';
import { StageWork } from './stage-work.js';
import { type Dockerfile, findStage, type Note, type Stage, targetStage } from './stages.js';
import {
  type BaseImage,
  type ImageConfig,
  isStage,
  type Plan,
  type StagePlan,
  type Step,
} from './steps.js';

export interface PlanOptions {
  readonly args?: Readonly<Record<string, string>>;
  readonly target?: string | undefined;
  /** Undefined if there is no image of this name. */
  findImage(name: string): Promise<BaseImage | undefined>;
}

/** Variables that need no ARG, and change no key in the cache. */
export const PROXY_ARGS = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/**
 * Turns a Dockerfile into steps with all variables replaced. Throws ApiError `invalid_request` with file
 * and line, so that an error is found before a machine is started.
 */
export async function planBuild(dockerfile: Dockerfile, options: PlanOptions): Promise<Plan> {
  const planner = new Planner(dockerfile, options);
  const target = await planner.stage(targetStage(dockerfile, options.target));
  const steps = [...target.steps, ...configuration(target)];
  const last = { ...target, steps };
  const stages = [...planner.stages.slice(0, -1), last];
  return { stages, target: last, notes: [...dockerfile.notes, ...planner.notes()] };
}

/** The step that writes what the image adds to the configuration of the image that it builds on. */
function configuration(target: StagePlan): Step[] {
  const { file, line, config } = target;
  const base = rootImage(target).config;
  const env = Object.fromEntries(
    Object.entries(config.env).filter(([name, value]) => base.env[name] !== value),
  );
  const program = ({ entrypoint, command, workdir }: ImageConfig) =>
    JSON.stringify([...entrypoint, ...command, workdir]);
  const isSame = program(config) === program(base);
  if (Object.keys(env).length === 0 && isSame) return [];
  const action = {
    kind: 'configure',
    env,
    program: [...config.entrypoint, ...config.command],
    workdir: config.workdir,
  } as const;
  return [{ file, line, text: 'write the configuration of the image', action }];
}

function rootImage({ base }: StagePlan): BaseImage {
  return isStage(base) ? rootImage(base) : base;
}

class Planner {
  readonly stages: StagePlan[] = [];
  readonly #dockerfile: Dockerfile;
  readonly #options: PlanOptions;
  readonly #planned = new Map<Stage, StagePlan>();
  readonly #usedArgs = new Set<string>();
  readonly #notes: Note[] = [];

  constructor(dockerfile: Dockerfile, options: PlanOptions) {
    this.#dockerfile = dockerfile;
    this.#options = options;
    for (const name of dockerfile.globals.keys()) this.#usedArgs.add(name);
  }

  async stage(stage: Stage): Promise<StagePlan> {
    const planned = this.#planned.get(stage);
    if (planned !== undefined) return planned;
    const { file, line, text, from } = stage;
    const base = typeof from === 'string' ? await this.#image(stage, from) : await this.stage(from);
    const work = new StageWork(this.#dockerfile, this.#options.args ?? {}, base.config);
    for (const instruction of stage.instructions) {
      const source = await this.#source(stage, instruction, work);
      work.perform(instruction, source);
    }
    for (const name of work.usedArgs) this.#usedArgs.add(name);
    this.#notes.push(...work.notes);
    const name = stage.name ?? `stage-${stage.index}`;
    const plan = { file, line, text, name, base, steps: work.steps, config: work.config };
    this.#planned.set(stage, plan);
    this.stages.push(plan);
    return plan;
  }

  notes(): Note[] {
    const { file } = this.#dockerfile;
    const unused = Object.keys(this.#options.args ?? {}).filter(
      (name) => !this.#usedArgs.has(name) && !PROXY_ARGS.includes(name.toUpperCase()),
    );
    const message = (name: string) => `no ARG uses the build argument ${name}`;
    return [...this.#notes, ...unused.map((name) => ({ file, line: 1, message: message(name) }))];
  }

  async #image(place: Place, name: string): Promise<BaseImage> {
    const image = await this.#options.findImage(name.replace(/:latest$/, ''));
    if (image !== undefined) return image;
    const remedy = 'FROM takes images of this service, not of a registry: vc image ls';
    throw mistake(place, `there is no image ${JSON.stringify(name)}`, remedy);
  }

  /** The stage or image of COPY --from. */
  async #source(stage: Stage, instruction: Instruction, work: StageWork) {
    const flag = instruction.flags.find(({ name }) => name === 'from');
    if (instruction.keyword !== 'COPY' || flag === undefined) return undefined;
    const name = work.expand(instruction, flag.value);
    const earlier = this.#dockerfile.stages.slice(0, stage.index);
    const found = findStage(earlier, name);
    if (found !== undefined) return this.stage(found);
    if (/^\d+$/.test(name) || findStage(this.#dockerfile.stages, name) !== undefined) {
      throw mistake(instruction, `--from=${name}: there is no earlier stage ${name}`);
    }
    return this.#image(instruction, name);
  }
}
