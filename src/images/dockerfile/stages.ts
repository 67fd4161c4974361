import { ApiError } from '../../contract/errors.js';
import { nearest } from '../../lib/text/nearest.js';
import { mistake, type Place } from './errors.js';
import { expand, quotedWords } from './expand.js';
import { type Instruction, readInstructions } from './instructions.js';

/** From one FROM to the next. */
export interface Stage extends Place {
  readonly index: number;
  /** In small letters; undefined without `AS`. */
  readonly name: string | undefined;
  /** The earlier stage or the name of the image that it starts from. */
  readonly from: Stage | string;
  readonly text: string;
  readonly instructions: readonly Instruction[];
}

/** Something that the author should know. */
export interface Note extends Place {
  readonly message: string;
}

export interface Dockerfile {
  readonly file: string;
  /** The escape character: a backslash or a backtick. */
  readonly escaping: string;
  readonly stages: readonly Stage[];
  /** Values of ARG before the first FROM, and those that every build has. */
  readonly globals: ReadonlyMap<string, string | undefined>;
  readonly notes: readonly Note[];
}

export interface ParseOptions {
  /** Path in the context, for messages. */
  readonly file?: string;
  /** Values of ARG. */
  readonly args?: Readonly<Record<string, string>>;
  /** For `TARGETPLATFORM` and the like; default `linux/amd64`. */
  readonly platform?: string;
}

/** Instructions that are carried out. */
const KNOWN = [
  ...['ADD', 'ARG', 'CMD', 'COPY', 'ENTRYPOINT', 'ENV', 'FROM', 'LABEL', 'RUN', 'SHELL', 'USER'],
  'WORKDIR',
];

const IGNORED: Readonly<Record<string, string>> = {
  EXPOSE: 'every port of a computer can be forwarded',
  VOLUME: 'a computer keeps all of its files',
  STOPSIGNAL: 'a computer ends its programs itself',
  HEALTHCHECK: 'a computer is ready when its desktop is',
  MAINTAINER: 'use LABEL',
};

/** Splits a Dockerfile into its stages. Throws ApiError `invalid_request` with file and line. */
export function parseDockerfile(text: string, options: ParseOptions = {}): Dockerfile {
  const { file = 'Dockerfile', args = {}, platform = 'linux/amd64' } = options;
  const { escaping, instructions } = readInstructions(text, file);
  const globals = new Map<string, string | undefined>(Object.entries(platformArgs(platform)));
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const notes: Note[] = [];
  for (const instruction of instructions) {
    checkKeyword(instruction, notes);
    const stage = stages.at(-1);
    if (instruction.keyword === 'FROM') {
      const from = readFrom(instruction, (name) => globals.get(name), escaping);
      stages.push({ ...from, index: stages.length, from: stageOrImage(stages, from.base) });
    } else if (stage !== undefined) {
      stage.instructions.push(instruction);
    } else if (instruction.keyword === 'ARG') {
      for (const [name, value] of readArg(instruction, (each) => globals.get(each), escaping)) {
        globals.set(name, Object.hasOwn(args, name) ? args[name] : value);
      }
    } else if (KNOWN.includes(instruction.keyword)) {
      throw mistake(
        instruction,
        `${instruction.keyword} is before the first FROM`,
        START_WITH_FROM,
      );
    }
  }
  if (stages.length === 0) {
    throw new ApiError('invalid_request', `${file} has no FROM.`, { remedy: START_WITH_FROM });
  }
  return { file, escaping, stages, globals, notes };
}

const START_WITH_FROM = 'begin with FROM and the name of an image, for example: FROM linux';

/** The stage to build: the last one, or the one that is called `target`. */
export function targetStage({ file, stages }: Dockerfile, target?: string): Stage {
  const stage = target === undefined ? stages.at(-1) : findStage(stages, target);
  if (stage !== undefined) return stage;
  const names = stages.flatMap(({ name }) => name ?? []);
  const remedy = names.length > 0 ? `it has: ${names.join(', ')}` : 'name one with FROM … AS NAME';
  throw new ApiError('invalid_request', `${file} has no stage ${target}.`, { remedy });
}

/** A stage by its name or number. */
export function findStage(stages: readonly Stage[], name: string): Stage | undefined {
  return stages.find((stage) => stage.name === name.toLowerCase() || String(stage.index) === name);
}

/** Names and values of an ARG; undefined for one without a default. */
export function* readArg(
  instruction: Instruction,
  lookup: (name: string) => string | undefined,
  escaping: string,
): Generator<readonly [name: string, value: string | undefined]> {
  const words = located(instruction, () => quotedWords(instruction.rest, escaping));
  if (words.length === 0) throw mistake(instruction, 'ARG names no variable');
  for (const word of words) {
    const [, name = word, value] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    checkVariable(instruction, name);
    const isSet = value !== undefined;
    yield [name, isSet ? located(instruction, () => expand(value, lookup, escaping)) : undefined];
  }
}

export function checkVariable(place: Place, name: string): void {
  if (/^[A-Za-z_]\w{0,255}$/.test(name)) return;
  throw mistake(place, `${JSON.stringify(name)} is not a valid variable name`);
}

/** Adds the place to the errors of `work`. */
export function located<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    throw mistake(place, error.message);
  }
}

function checkKeyword(instruction: Instruction, notes: Note[]): void {
  const { keyword, file, line } = instruction;
  if (keyword === 'ONBUILD') {
    const problem = 'ONBUILD is not supported: images of computers have no triggers';
    throw mistake(
      instruction,
      problem,
      'put the instruction into the Dockerfiles that use the image',
    );
  }
  const ignored = Object.hasOwn(IGNORED, keyword) ? IGNORED[keyword] : undefined;
  if (ignored !== undefined) {
    notes.push({ file, line, message: `${keyword} is ignored: ${ignored}` });
  } else if (!KNOWN.includes(keyword)) {
    const meant = nearest(keyword, [...KNOWN, ...Object.keys(IGNORED)]);
    const remedy = meant === undefined ? undefined : `did you mean ${meant}?`;
    throw mistake(instruction, `there is no instruction ${keyword}`, remedy);
  }
}

function readFrom(
  instruction: Instruction,
  lookup: (name: string) => string | undefined,
  escaping: string,
) {
  const { file, line, text, rest, flags } = instruction;
  const unknown = flags.find(({ name }) => name !== 'platform');
  if (unknown) throw mistake(instruction, `FROM has no option --${unknown.name}`);
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const [image = '', as, alias] = words;
  if (words.length !== 1 && (words.length !== 3 || as?.toUpperCase() !== 'AS')) {
    throw mistake(instruction, 'FROM takes an image, or an image AS a name');
  }
  if (alias !== undefined && !/^[a-z][a-z0-9_.-]*$/i.test(alias)) {
    throw mistake(instruction, `${JSON.stringify(alias)} is not a valid name of a stage`);
  }
  const base = located(instruction, () => expand(image, lookup, escaping));
  if (base === '') {
    const remedy = 'give the ARG before FROM a default, or pass it with --build-arg';
    throw mistake(instruction, `${image} is empty`, remedy);
  }
  if (base === 'scratch') {
    throw mistake(
      instruction,
      'FROM scratch is not supported: a computer needs a desktop',
      USE_LINUX,
    );
  }
  const name = alias?.toLowerCase();
  return { file, line, text, name, base, instructions: [] as Instruction[] };
}

const USE_LINUX = 'start from linux or from an image of your own: vc image ls';

function stageOrImage(stages: readonly Stage[], name: string): Stage | string {
  return stages.findLast((stage) => stage.name === name.toLowerCase()) ?? name;
}

/** As BuildKit sets them; the build and the image have the same platform. */
function platformArgs(platform: string): Record<string, string> {
  const [os = '', arch = '', variant = ''] = platform.split('/');
  const args: Record<string, string> = {};
  for (const side of ['BUILD', 'TARGET']) {
    args[`${side}PLATFORM`] = platform;
    args[`${side}OS`] = os;
    args[`${side}ARCH`] = arch;
    args[`${side}VARIANT`] = variant;
  }
  return args;
}
