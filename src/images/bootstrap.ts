import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../contract/errors.js';
import { onAbort } from '../lib/async/abort.js';
import { type Layers, type Recipe, readPackages } from './recipe.js';

/** The release that the recipes are written for. */
const SUITE = 'bookworm';

/** Default package sources. */
const DEFAULT_SOURCES = [
  `deb http://deb.debian.org/debian ${SUITE} main`,
  `deb http://deb.debian.org/debian ${SUITE}-updates main`,
  `deb http://deb.debian.org/debian-security ${SUITE}-security main`,
];

const SUITES = [SUITE, `${SUITE}-updates`, `${SUITE}-security`];

/**
 * Package sources for an image, as lines of a `sources.list`. A host that runs the same Debian
 * release provides its own mirrors; other hosts get Debian's.
 */
export async function packageSources(apt = '/etc/apt'): Promise<string[]> {
  const lines = [...new Set(await hostSources(apt))];
  return lines.some((line) => line.endsWith(` ${SUITE} main`)) ? lines : DEFAULT_SOURCES;
}

async function hostSources(apt: string): Promise<string[]> {
  const parts = await readdir(join(apt, 'sources.list.d')).catch(() => []);
  const files = ['sources.list', ...parts.sort().map((name) => join('sources.list.d', name))];
  const lines: string[] = [];
  for (const file of files) {
    const text = await readFile(join(apt, file), 'utf8').catch(() => '');
    lines.push(...(file.endsWith('.sources') ? parseStanzas(text) : parseLines(text)));
  }
  return lines;
}

/** One source a line, sources.list(5): `deb [options] uri suite component...`. */
function parseLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const words = line
      .replace(/#.*/, '')
      .replace(/\[.*?\]/, '')
      .trim()
      .split(/\s+/);
    const [type, uri, suite, ...components] = words;
    return type === 'deb' && uri && suite ? debian([uri], [suite], components) : [];
  });
}

/** Stanzas of fields, the deb822 format of sources.list(5). */
function parseStanzas(text: string): string[] {
  const clean = text.replace(/^#.*\n?/gm, '');
  return clean.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string) =>
      new RegExp(`^${name}:(.*(?:\\n[ \\t].*)*)`, 'im').exec(stanza)?.[1]?.trim().split(/\s+/) ??
      [];
    const used = field('Types').includes('deb') && field('Enabled')[0] !== 'no';
    return used ? debian(field('URIs'), field('Suites'), field('Components')) : [];
  });
}

/** Only Debian's suites: other vendors use the same release names with other components. */
function debian(uris: string[], suites: string[], components: string[]): string[] {
  if (!components.includes('main')) {
    return [];
  }
  return uris.flatMap((uri) =>
    suites.filter((suite) => SUITES.includes(suite)).map((suite) => `deb ${uri} ${suite} main`),
  );
}

/**
 * dpkg does not sync each file, since a build that is interrupted is worth nothing, and does not write
 * what `setup.sh` of the recipe `linux` would remove: together a third of the time.
 */
const DPKG_OPTIONS = [
  'force-unsafe-io',
  ...['doc', 'man', 'info', 'help', 'gtk-doc', 'locale'].map(
    (folder) => `path-exclude=/usr/share/${folder}/*`,
  ),
  'path-include=/usr/share/doc/*/copyright',
  'path-include=/usr/share/locale/locale.alias',
];

const DPKG_FILE = '"$1/etc/dpkg/dpkg.cfg.d/vc-build"';

/** Memory that must be available for a build in memory, which has no file to sync or to remove. */
const IN_MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * Mounts a tmpfs at the first argument and runs the rest. The mount is in a namespace of the process
 * and ends with it.
 */
const IN_MEMORY = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=75%,mode=711 vc-image "$0" 2>/dev/null; exec "$@"',
];

/** Number of output lines in the error of a failed build. */
const SHOWN_LINES = 15;

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with a short line of text for each step. */
  onProgress?(line: string): void;
}

/**
 * Writes the root file system of a recipe to the file `target`, an uncompressed tarball with the
 * owners that files have in the machine. Works as root and as an ordinary user who has
 * subordinate ids. Takes about two minutes and 2 GB of the temporary folder.
 */
export async function bootstrap(
  recipe: Recipe,
  target: string,
  options: BuildOptions,
): Promise<void> {
  await bootstrapLayers({ ...recipe, packages: await readPackages(recipe) }, target, options);
}

/** Like {@link bootstrap}, for any packages and folders. */
export async function bootstrapLayers(
  { layers, packages }: Layers,
  target: string,
  options: BuildOptions,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'vc-image-'));
  try {
    const overlays = layers.map((_, index) => join(scratch, `files-${index}.tar`));
    for (const [index, layer] of layers.entries()) {
      await packFiles(join(layer, 'files'), overlays[index] ?? '', options.signal);
    }
    const hooks = [
      ...overlays.map((overlay) => `tar-in ${hookWord(overlay)} /`),
      ...layers.flatMap(setupHooks),
    ];
    const root = join(scratch, 'root');
    await mkdir(root);
    // apt downloads as another user.
    await chmod(scratch, 0o711);
    await runMmdebstrap(root, await mmdebstrapArguments(packages, hooks, target), options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function setupHooks(layer: string): string[] {
  return [
    `upload ${hookWord(join(layer, 'setup.sh'))} /setup.sh`,
    'chroot "$1" sh /setup.sh',
    'rm "$1/setup.sh"',
  ];
}

/** Files are owned by root and readable by all, independent of the umask of the checkout. */
async function packFiles(files: string, overlay: string, signal?: AbortSignal): Promise<void> {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  await execa('tar', [...owner, '--sort=name', '-C', files, '-cf', overlay, '.'], {
    ...(signal && { cancelSignal: signal }),
  });
}

async function mmdebstrapArguments(
  packages: readonly string[],
  hooks: readonly string[],
  target: string,
): Promise<string[]> {
  return [
    '--mode=auto',
    '--variant=minbase',
    '--format=tar',
    // setup.sh creates folders in /run that a container's user cannot create.
    '--skip=cleanup/run',
    `--include=${packages.join(',')}`,
    // With --dpkgopt, mmdebstrap would filter the first packages in Python, which takes 16 s.
    `--extract-hook=printf '%s\\n' '${DPKG_OPTIONS.join("' '")}' > ${DPKG_FILE}`,
    ...[...hooks, `rm ${DPKG_FILE}`].map((hook) => `--customize-hook=${hook}`),
    SUITE,
    target,
    ...(await packageSources()),
  ];
}

/** Quotes a path for mmdebstrap's special hooks, which are not run by a shell. */
function hookWord(path: string): string {
  return path.replace(/[^\w/.-]/gu, '\\$&');
}

async function runMmdebstrap(
  scratch: string,
  args: readonly string[],
  options: BuildOptions,
): Promise<void> {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const last: string[] = [];
  const isInMemory = process.getuid?.() === 0 && process.availableMemory() > IN_MEMORY_BYTES;
  const [program = '', ...words] = [
    ...(isInMemory ? [...IN_MEMORY, scratch] : []),
    'mmdebstrap',
    ...args,
  ];
  const subprocess = execa(program, words, {
    stdin: 'ignore',
    stdout: 'ignore',
    buffer: false,
    reject: false,
    env: {
      DEBIAN_FRONTEND: 'noninteractive',
      LC_ALL: 'C.UTF-8',
      ...(isInMemory && { TMPDIR: scratch }),
    },
    // Its own process group, which `endGroup` terminates.
    detached: true,
  });
  const end = () => endGroup(subprocess.pid);
  const dispose = onAbort(signal, end);
  try {
    for await (const line of subprocess.iterable({ from: 'stderr' })) {
      last.push(line);
      last.splice(0, last.length - SHOWN_LINES);
      if (line.startsWith('I: ')) {
        onProgress?.(line.slice('I: '.length));
      }
    }
  } catch (error) {
    end();
    throw error;
  } finally {
    dispose();
  }
  const result = await subprocess;
  signal?.throwIfAborted();
  // 127: the shell of IN_MEMORY has not found it.
  if (result.code === 'ENOENT' || result.exitCode === 127) {
    throw new ApiError('unsupported', 'Building a machine image needs mmdebstrap.', {
      remedy: 'Install it: vc setup',
      cause: result,
    });
  }
  if (result.failed) {
    throw new Error(`The machine image could not be built:\n${last.join('\n')}`, { cause: result });
  }
}

/**
 * Terminates mmdebstrap's process group. mmdebstrap removes its temporary folder on SIGTERM, but
 * would first wait for the package installation, so that is terminated too.
 */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) {
    return;
  }
  try {
    process.kill(-leader, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}
