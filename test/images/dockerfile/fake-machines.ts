import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  type BuildOptions,
  type BuiltImage,
  buildImage,
} from '../../../src/images/dockerfile/build.js';
import { BuildContext } from '../../../src/images/dockerfile/context.js';
import { packCommand, UNPACK } from '../../../src/images/dockerfile/guest.js';
import type {
  BuildMachine,
  BuildMachines,
  Origin,
  RunOptions,
} from '../../../src/images/dockerfile/machine.js';
import { packContext } from '../../../src/images/dockerfile/pack.js';
import { type BuildEvent, formatEvent } from '../../../src/images/dockerfile/progress.js';
import { BASE_CONFIG, type ImageConfig } from '../../../src/images/dockerfile/steps.js';
import { type TarItem, tarEntries } from '../../../src/lib/tar/read.js';

const execute = promisify(execFile);

/** Programs of the base image, which write down what they were called with. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'apt-get': 'mkdir -p "$FAKE_ROOT/var/lib/apt"; echo "$@" >>"$FAKE_ROOT/var/lib/apt/log"',
  // As on an engine that gives each computer an id of its own.
  getent: `case "$1 $2" in
  'passwd user') echo user:x:2010000001:2010000001::/home/user:/bin/bash ;;
  'passwd root') echo root:x:0:0:root:/root:/bin/sh ;;
  'group user') echo user:x:2010000001: ;;
  *) exit 2 ;;
esac`,
  npm: 'mkdir -p node_modules/left-pad; cp package.json node_modules/left-pad/',
  python3:
    'mkdir -p "$FAKE_ROOT$3/bin"; printf "#!/bin/sh\\necho pip \\"\\$@\\" >>\\"\\$FAKE_ROOT/pip.log\\"\\n" >"$FAKE_ROOT$3/bin/pip"; chmod 755 "$FAKE_ROOT$3/bin/pip"',
};

/**
 * Machines whose disks are directories. Programs run for real, in the directory of their machine but not
 * confined to it, as the user of the test: owners are in `owners` only.
 */
export class FakeMachines implements BuildMachines {
  saveMs = 0;
  readonly root = mkdtempSync(join(tmpdir(), 'vc-build-'));
  readonly configs = new Map<string, ImageConfig>();
  readonly open = new Set<FakeMachine>();
  readonly started: Origin[] = [];
  /** Ids and modes of what was put last, by path. */
  readonly owners = new Map<string, string>();
  readonly runs: (Pick<RunOptions, 'user' | 'cwd' | 'env'> & { argv: readonly string[] })[] = [];
  #machines = 0;

  constructor() {
    this.configs.set('linux', BASE_CONFIG);
    const disk = this.disk({ image: { name: 'linux', id: 'linux-1', config: BASE_CONFIG } });
    for (const [name, script] of Object.entries(PROGRAMS)) {
      this.write(disk, `usr/local/bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
    }
    this.write(disk, 'usr/lib/vc/environment', 'DISPLAY=:0\nPATH=/usr/bin:/bin\n');
    mkdirSync(join(disk, 'home/user'), { recursive: true });
    mkdirSync(join(disk, 'tmp'));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  write(disk: string, path: string, text: string | Buffer, mode = 0o644): void {
    mkdirSync(dirname(join(disk, path)), { recursive: true });
    writeFileSync(join(disk, path), text, { mode });
  }

  disk(origin: Origin): string {
    return join(this.root, 'image' in origin ? `image-${origin.image.name}` : origin.step);
  }

  async findImage(name: string) {
    const config = this.configs.get(name);
    return config && { name, id: `${name}-1`, config };
  }

  async hasStep(key: string) {
    return existsSync(join(this.root, key));
  }

  async start(origin: Origin, signal?: AbortSignal): Promise<BuildMachine> {
    signal?.throwIfAborted();
    this.started.push(origin);
    this.#machines += 1;
    const disk = join(this.root, `machine-${this.#machines}`);
    cpSync(this.disk(origin), disk, { recursive: true, verbatimSymlinks: true });
    const machine = new FakeMachine(this, disk);
    this.open.add(machine);
    return machine;
  }
}

class FakeMachine implements BuildMachine {
  readonly #machines: FakeMachines;
  readonly #disk: string;

  constructor(machines: FakeMachines, disk: string) {
    this.#machines = machines;
    this.#disk = disk;
  }

  async run(argv: readonly string[], options: RunOptions): Promise<number> {
    const { user, env, cwd, input = [], onOutput, signal } = options;
    this.#machines.runs.push({ argv, user, env, cwd });
    const [program = '', ...args] = argv;
    const own = Object.entries(env).map(([name, value]) => [
      name,
      name === 'PATH'
        ? value
            .split(':')
            .map((part) => `${this.#disk}${part}`)
            .join(':')
        : value,
    ]);
    const path = `${own.find(([name]) => name === 'PATH')?.[1]}:${process.env.PATH}`;
    const child = spawn(program, args, {
      cwd: join(this.#disk, cwd),
      env: { ...Object.fromEntries(own), PATH: path, FAKE_ROOT: this.#disk },
      signal,
    });
    child.stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
    child.stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
    pipeline(Readable.from(input), child.stdin).catch(() => undefined);
    return new Promise((resolve, reject) => {
      child.on('error', (error) => {
        if (signal?.aborted) return reject(signal.reason);
        onOutput(Buffer.from(`${error.message}\n`), 'stderr');
        resolve(127);
      });
      child.on('close', (code) => resolve(code ?? 137));
    });
  }

  async put(archive: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const pieces: Uint8Array[] = [];
    for await (const piece of archive) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    for await (const item of tarEntries(Readable.from([whole]))) {
      this.#machines.owners.set(`/${item.name}`, ownerOf(item));
    }
    const words = UNPACK.map((word) => (word === '/' ? this.#disk : word)).slice(1);
    const child = execute('tar', [...words, '--no-same-owner'], { signal });
    child.child.stdin?.end(whole);
    await child;
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const [program = '', ...args] = packCommand(join(this.#disk, path));
    yield* spawn(program, args).stdout;
  }

  async save(key: string): Promise<void> {
    const target = join(this.#machines.root, key);
    rmSync(target, { recursive: true, force: true });
    cpSync(this.#disk, target, { recursive: true, verbatimSymlinks: true });
    // It is in memory.
    rmSync(join(target, 'tmp'), { recursive: true });
    mkdirSync(join(target, 'tmp'));
  }

  async close(): Promise<void> {
    this.#machines.open.delete(this);
    rmSync(this.#disk, { recursive: true, force: true });
  }
}

function ownerOf({ uid, gid, mode }: TarItem): string {
  return `${uid}:${gid} ${mode.toString(8)}`;
}

export interface Build extends BuiltImage {
  readonly lines: readonly string[];
  readonly events: readonly BuildEvent[];
  /** The text of a file of the image. */
  text(path: string): string;
  has(path: string): boolean;
}

/** Builds the Dockerfile and files, packed as the command line packs them. */
export async function build(
  machines: FakeMachines,
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<Omit<BuildOptions, 'context' | 'machines' | 'onEvent'>> & {
    readonly onEvent?: (event: BuildEvent) => void;
  } = {},
): Promise<Build> {
  const directory = mkdtempSync(join(machines.root, 'context-'));
  for (const [path, text] of Object.entries(files)) {
    machines.write(directory, path, text, path.endsWith('.sh') ? 0o755 : 0o644);
  }
  const events: BuildEvent[] = [];
  const context = await BuildContext.receive(
    packContext(directory, options.dockerfile ? { dockerfile: options.dockerfile } : {}),
    { directory: machines.root },
  );
  const onEvent = (event: BuildEvent) => {
    events.push(event);
    options.onEvent?.(event);
  };
  try {
    const image = await buildImage({ ...options, context, machines, onEvent });
    const disk = machines.disk(image.origin);
    return {
      ...image,
      events,
      lines: events.map((event) => formatEvent(event).replace(/\d+\.\d+/, 'N')),
      text: (path) => readFileSync(join(disk, path), 'utf8'),
      has: (path) => existsSync(join(disk, path)),
    };
  } finally {
    await context.close();
  }
}
