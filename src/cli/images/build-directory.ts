import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { buildImage } from '../../client/resources/image-build.js';
import { ApiError } from '../../contract/errors.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { done, note, print, printJsonLine } from '../output/print.js';

export interface DirectoryBuild {
  readonly directory: string;
  readonly tag: string;
  /** Path of the Dockerfile; in the directory by default. */
  readonly file: string | undefined;
  readonly args: readonly string[];
  /** `id=ID,src=FILE` or `id=ID,env=NAME`. */
  readonly secrets: readonly string[];
  readonly target: string | undefined;
  readonly cache: boolean;
  /** For all owners. */
  readonly shared?: boolean;
  readonly engine: string | undefined;
}

/** All secrets together: they are sent in a header. */
const MOST_SECRETS = 9 * 1024;

/** Whether the argument is a directory, and not the name of a recipe. */
export async function isDirectory(context: Context, text: string): Promise<boolean> {
  if (/^\.{0,2}\/|^\.{1,2}$|\/$/.test(text)) return true;
  return stat(resolve(context.cwd, text)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Builds an image of a directory with a Dockerfile in the service, and prints the progress. */
export async function buildDirectory(context: Context, build: DirectoryBuild): Promise<void> {
  const { globals } = context;
  const began = performance.now();
  const image = await sendDirectory(context, build);
  if (globals.json) return printJsonLine(context, { type: 'image', image });
  if (globals.quiet) return print(context, image.name);
  const seconds = Math.round((performance.now() - began) / 1000);
  await done(context, `the image ${image.name} is ready on ${image.engine}: ${seconds} s`);
}

/** The same without a line for the image. */
export async function sendDirectory(context: Context, build: DirectoryBuild) {
  const { io, globals, interrupts } = context;
  const args = Object.fromEntries(build.args.map((text) => argumentOf(text, context)));
  const secrets = await readSecrets(context, build.secrets);
  const { directory, dockerfile, text } = await findContext(context, build);
  // Loaded only here.
  const [{ packContext }, { formatEvent }] = await Promise.all([
    import('../../images/dockerfile/pack.js'),
    import('../../images/dockerfile/progress.js'),
  ]);
  const { signal } = interrupts;
  const skipped: string[] = [];
  const archive = packContext(directory, {
    ...{ dockerfile, signal, onSkipped: (path: string) => skipped.push(path) },
    ...(text !== undefined && { text }),
  });
  context.whenInterrupted('the build is cancelled; finished steps stay in the cache');
  const image = await buildImage(await context.client(), build.tag, archive, {
    ...{ dockerfile, args, secrets, signal, target: build.target, engine: build.engine },
    noCache: !build.cache,
    shared: build.shared,
    onProgress: async (line) => {
      if (globals.json) await printJsonLine(context, line);
      else if (!globals.quiet) await write(io.stderr, `${formatEvent(line)}\n`);
    },
  }).catch((error: unknown) => {
    throw error instanceof ApiError ? localError(error) : error;
  });
  for (const path of skipped) await note(context, `left out, neither a file nor a link: ${path}`);
  return image;
}

/** Digest of what {@link sendDirectory} would send. */
export async function hashBuild(
  context: Context,
  build: Pick<DirectoryBuild, 'directory' | 'file'>,
): Promise<string> {
  const { directory, dockerfile, text } = await findContext(context, build);
  const { hashContext } = await import('../../images/dockerfile/pack.js');
  const options = { dockerfile, ...(text !== undefined && { text }) };
  return hashContext(directory, options).catch((error: unknown) => {
    throw error instanceof ApiError ? localError(error) : error;
  });
}

async function findContext(
  context: Context,
  { directory: given, file }: Pick<DirectoryBuild, 'directory' | 'file'>,
) {
  const directory = resolve(context.cwd, given);
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new UsageError(`${given} is not a directory`, 'name one with a Dockerfile');
  }
  return { directory, ...(await findDockerfile(context, directory, file)) };
}

/** `-f` is relative to the current directory, as with Docker; a file elsewhere is sent as text. */
async function findDockerfile(context: Context, directory: string, file: string | undefined) {
  if (file === undefined) return { dockerfile: 'Dockerfile' };
  const path = resolve(context.cwd, file);
  const inside = relative(directory, path);
  if (!inside.startsWith('..')) return { dockerfile: inside };
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new CliError(`cannot read ${file}`, { cause, remedy: 'name the Dockerfile with -f' });
  });
  return { dockerfile: `${basename(dirname(path))}.${basename(path)}`.replace(/^\.+/, ''), text };
}

/** `NAME=VALUE`; a name alone takes the value of the environment. */
function argumentOf(text: string, { env }: Context): [string, string] {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--build-arg: must be NAME=VALUE, not ${text}`);
  const chosen = value ?? env[name];
  if (chosen !== undefined) return [name, chosen];
  throw new UsageError(`--build-arg: the environment has no ${name}`, `use ${name}=VALUE`);
}

async function readSecrets(context: Context, specs: readonly string[]) {
  const secrets: Record<string, Uint8Array> = {};
  for (const spec of specs) {
    const pairs = spec.split(',').map((part) => part.split(/=(.*)/s, 2) as [string, string?]);
    const { id, src, source, env: variable } = Object.fromEntries(pairs);
    if (id === undefined || !/^[\w.-]{1,128}$/.test(id)) {
      throw new UsageError('--secret: must be id=ID,src=FILE or id=ID,env=NAME');
    }
    const path = src ?? source;
    const value = path === undefined ? context.env[variable ?? id] : undefined;
    if (path === undefined && value === undefined) {
      throw new UsageError(`--secret: the environment has no ${variable ?? id}`);
    }
    secrets[id] =
      path === undefined
        ? Buffer.from(value ?? '')
        : await readFile(resolve(context.cwd, path)).catch((cause) => {
            throw new CliError(`cannot read the secret ${id}: ${path}`, { cause });
          });
  }
  const bytes = Object.values(secrets).reduce((sum, { length }) => sum + length, 0);
  if (bytes <= MOST_SECRETS) return secrets;
  throw new UsageError(`--secret: all secrets together are larger than ${MOST_SECRETS} bytes`);
}

/** A context that cannot be sent. */
function localError({ message, remedy, code }: ApiError): CliError {
  return new CliError(message, { code, ...(remedy !== undefined && { remedy }) });
}
