import { isAbsolute, posix } from 'node:path';
import { mistake, type Place } from './errors.js';
import { expand, expandText, type Lookup, quotedWords } from './expand.js';
import { type Flag, type Instruction, isHeredocWord, jsonWords } from './instructions.js';
import { readMount } from './mounts.js';
import { checkVariable, type Dockerfile, located, type Note, readArg } from './stages.js';
import type { Action, BaseImage, ImageConfig, StagePlan, Step } from './steps.js';

/** Performs the instructions of a stage on its configuration, and collects its steps. */
export class StageWork {
  readonly steps: Step[] = [];
  readonly notes: Note[] = [];
  readonly usedArgs = new Set<string>();
  config: ImageConfig;
  readonly #dockerfile: Dockerfile;
  readonly #given: Readonly<Record<string, string>>;
  readonly #args = new Map<string, string>();

  constructor(dockerfile: Dockerfile, given: Readonly<Record<string, string>>, base: ImageConfig) {
    this.#dockerfile = dockerfile;
    this.#given = given;
    this.config = base;
  }

  perform(instruction: Instruction, source: StagePlan | BaseImage | undefined): void {
    const { keyword, rest } = instruction;
    const isEmpty = rest === '' && !['CMD', 'ENTRYPOINT'].includes(keyword);
    if (isEmpty) throw mistake(instruction, `${keyword} has no arguments`);
    if (!['RUN', 'COPY', 'ADD'].includes(keyword)) takeOptions(instruction, []);
    switch (keyword) {
      case 'ARG':
        this.#arg(instruction);
        break;
      case 'ENV':
        this.#change({ env: { ...this.config.env, ...this.#pairs(instruction) } });
        for (const name of Object.keys(this.config.env)) checkVariable(instruction, name);
        break;
      case 'LABEL':
        this.#change({ labels: { ...this.config.labels, ...this.#pairs(instruction) } });
        break;
      case 'USER':
        this.#change({ user: this.expand(instruction, rest) });
        break;
      case 'WORKDIR':
        this.#workdir(instruction);
        break;
      case 'SHELL':
        this.#change({ shell: shellWords(instruction) });
        break;
      case 'CMD':
        this.#program(instruction, { command: this.#words(rest) });
        break;
      case 'ENTRYPOINT':
        this.#program(instruction, { entrypoint: this.#words(rest), command: [] });
        break;
      case 'RUN':
        this.#run(instruction);
        break;
      case 'COPY':
      case 'ADD':
        this.#copy(instruction, source);
        break;
    }
  }

  expand(place: Place, word: string): string {
    return located(place, () => expand(word, this.#lookup, this.#dockerfile.escaping));
  }

  readonly #lookup: Lookup = (name) =>
    Object.hasOwn(this.config.env, name) ? this.config.env[name] : this.#args.get(name);

  #change(change: Partial<ImageConfig>): void {
    this.config = { ...this.config, ...change };
  }

  #add(instruction: Instruction, action: Action, from?: StagePlan | BaseImage): void {
    const { file, line, text } = instruction;
    this.steps.push({ file, line, text, action, ...(from && { from }) });
  }

  #arg(instruction: Instruction): void {
    for (const [name, value] of readArg(instruction, this.#lookup, this.#dockerfile.escaping)) {
      this.usedArgs.add(name);
      const given = Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
      const chosen = given ?? value ?? this.#dockerfile.globals.get(name);
      if (chosen !== undefined) this.#args.set(name, chosen);
    }
  }

  /** `NAME=VALUE …`, or the old form `NAME VALUE`. All values see the variables of before. */
  #pairs(instruction: Instruction): Record<string, string> {
    const { keyword, rest } = instruction;
    const words = located(instruction, () => quotedWords(rest, this.#dockerfile.escaping));
    const isOld = !words[0]?.includes('=');
    if (isOld && words.length < 2) throw mistake(instruction, `${keyword} ${rest} has no value`);
    const pairs = isOld ? [rest.replace(/\s+/, '=')] : words;
    const entries = pairs.map((pair) => {
      const [, key = '', value] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
      if (value === undefined) throw mistake(instruction, `${pair} has no =`);
      const name = this.expand(instruction, key);
      const text = this.expand(instruction, value);
      if (/[\n\0]/.test(text)) throw mistake(instruction, `${name} has a line break`);
      return [name, text] as const;
    });
    return Object.fromEntries(entries);
  }

  #workdir(instruction: Instruction): void {
    const path = this.#resolve(this.expand(instruction, instruction.rest));
    this.#change({ workdir: path });
    this.#add(instruction, { kind: 'workdir', path, user: this.config.user });
  }

  /** An absolute path; a slash at its end stays. */
  #resolve(path: string): string {
    return posix.normalize(isAbsolute(path) ? path : `${this.config.workdir}/${path}`);
  }

  /** The words of the exec form, or the shell and its script. */
  #words(text: string): string[] {
    return jsonWords(text) ?? (text === '' ? [] : [...this.config.shell, text]);
  }

  #program(instruction: Instruction, change: Partial<ImageConfig>): void {
    this.#change(change);
    const { user } = this.config;
    if (user === '' || /^(user|1000)(:|$)/.test(user)) return;
    const { file, line, keyword } = instruction;
    const message = `${keyword} runs as the user of the desktop, not as ${user}`;
    this.notes.push({ file, line, message });
  }

  #run(instruction: Instruction): void {
    const { rest, heredocs, heredocLines } = instruction;
    const flags = takeOptions(instruction, ['mount', 'network', 'security']);
    for (const [name, only] of Object.entries({ network: 'default', security: 'sandbox' })) {
      const other = flags.find((flag) => flag.name === name && flag.value !== only);
      if (other) throw mistake(instruction, `--${name}=${other.value} is not supported`);
    }
    const mounts = flags
      .filter(({ name }) => name === 'mount')
      .map(({ value }) => readMount(instruction, this.expand(instruction, value)));
    const { env, user, workdir, shell } = this.config;
    const [only] = heredocs;
    const isScript = heredocs.length === 1 && isHeredocWord(rest);
    const script = isScript ? only?.content : undefined;
    // A script that names its interpreter is not for the shell.
    const ownInterpreter = script?.startsWith('#!') ? script : undefined;
    const text = script ?? (heredocs.length > 0 ? `${rest}\n${heredocLines}` : rest);
    const argv = ownInterpreter ? RUN_INPUT : (jsonWords(rest) ?? [...shell, text]);
    if (argv.length === 0) throw mistake(instruction, 'RUN has no command');
    this.#add(instruction, {
      kind: 'run',
      argv,
      input: ownInterpreter ?? '',
      env: { ...Object.fromEntries(this.#args), ...env },
      user,
      workdir,
      mounts,
    });
  }

  #copy(instruction: Instruction, source: StagePlan | BaseImage | undefined): void {
    const { keyword, rest, heredocs } = instruction;
    const known = ['chown', 'chmod', 'link', ...(keyword === 'COPY' ? ['from'] : [])];
    const flags = takeOptions(instruction, known);
    const option = (name: string) => {
      const value = flags.find((flag) => flag.name === name)?.value;
      return value === undefined ? undefined : this.expand(instruction, value);
    };
    const written = jsonWords(rest) ?? rest.split(/\s+/);
    const words = written.map((word) =>
      isHeredocWord(word) ? word : this.expand(instruction, word),
    );
    const to = words.pop() ?? '';
    const sources = words.filter((word) => !isHeredocWord(word));
    if (words.length === 0 || to === '') {
      throw mistake(instruction, `${keyword} needs a source and a destination`);
    }
    const isDirectory = to.endsWith('/') || /(^|\/)\.{1,2}$/.test(to);
    if (words.length > 1 && !isDirectory) {
      const problem = `with several sources, the destination ${to} must end with /`;
      throw mistake(instruction, problem);
    }
    if (source !== undefined && heredocs.length > 0) {
      throw mistake(instruction, 'a here-document cannot be copied with --from');
    }
    const remote = sources.find((each) => /^(https?|ftp|git|ssh):\/\/|^git@/.test(each));
    if (remote !== undefined) {
      const remedy = 'download it with RUN curl or RUN git clone';
      throw mistake(instruction, `${keyword} does not download ${remote}`, remedy);
    }
    const mode = option('chmod');
    if (mode !== undefined && !/^[0-7]{1,4}$/.test(mode)) {
      throw mistake(instruction, `--chmod=${mode} is not an octal mode`, 'for example --chmod=755');
    }
    const files = heredocs.map(({ name, content, isLiteral }) => ({
      name,
      content: isLiteral
        ? content
        : located(instruction, () => expandText(content, this.#lookup, this.#dockerfile.escaping)),
    }));
    const action: Action = {
      kind: 'copy',
      sources,
      files,
      to: this.#resolve(isDirectory ? `${to}/` : to),
      owner: option('chown'),
      mode: mode === undefined ? undefined : Number.parseInt(mode, 8),
      unpacks: keyword === 'ADD',
    };
    this.#add(instruction, action, source);
  }
}

/** Writes its input to a file that it runs. */
const RUN_INPUT = [
  '/bin/sh',
  '-c',
  'f=$(mktemp) && cat >"$f" && chmod 700 "$f" && "$f"; s=$?; rm -f "$f"; exit "$s"',
];

function takeOptions(instruction: Instruction, known: readonly string[]): readonly Flag[] {
  const { keyword, flags } = instruction;
  const unknown = flags.find(({ name }) => !known.includes(name));
  if (unknown !== undefined) {
    throw mistake(instruction, `${keyword} --${unknown.name} is not supported`);
  }
  return flags;
}

function shellWords(instruction: Instruction): string[] {
  const words = jsonWords(instruction.rest);
  if (words !== undefined && words.length > 0) return words;
  throw mistake(instruction, 'SHELL takes a JSON list, for example ["/bin/bash", "-c"]');
}
