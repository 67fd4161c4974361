import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { BodyInput } from '../../contract/types/index.js';
import { FileTooLargeError, readBounded } from '../../lib/fs/read-bounded.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { list, value } from '../framework/define.js';
import { assignment, nonEmpty } from './parse.js';
import { readScript } from './script/script.js';

type NewFile = NonNullable<NonNullable<BodyInput<'createComputer'>>['files']>[number];

/** Bytes of a local file that is sent at creation. */
const MOST_BYTES = 1024 * 1024;

/** Options for what a computer is created with. */
export const setupOptions = {
  env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
  envFile: list('--env-file <file>', 'file with lines NAME=VALUE; repeatable', nonEmpty, {
    completes: 'file',
  }),
  file: list('--file <local:remote>', 'copy a file, at most 1 MiB in all; repeatable', pair, {
    completes: 'file',
  }),
  setup: value(
    '--setup <file>',
    'bash script to run once before it is ready, or - for stdin',
    nonEmpty,
    {
      completes: 'file',
    },
  ),
};

interface SetupOptions {
  readonly env: readonly (readonly [string, string])[];
  readonly envFile: readonly string[];
  readonly file: readonly (readonly [string, string])[];
  readonly setup: string | undefined;
}

/** The fields of a request for these options. */
export async function setupFields(context: Context, options: SetupOptions) {
  const [env, files, setup] = await Promise.all([
    variables(context, options),
    Promise.all(options.file.map(([local, remote]) => newFile(context, local, remote))),
    options.setup === undefined ? undefined : readScript(context, options.setup),
  ]);
  return {
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(setup === undefined ? {} : { setup }),
  };
}

/** Those of files, and then those of options. */
export async function variables(
  context: Context,
  { env, envFile }: Pick<SetupOptions, 'env' | 'envFile'>,
): Promise<Record<string, string>> {
  const files = envFile.map(async (path) => variablesOf(path, await readScript(context, path)));
  const ofFiles = (await Promise.all(files)).flat();
  return Object.fromEntries([...ofFiles, ...env].map(([name, text = '']) => [name, text]));
}

/** A line without "=" becomes a part of the next name. */
function variablesOf(path: string, text: string): [string, string | undefined][] {
  const { _: end, ...named } = parseEnv(`${text}\n_=`);
  const found = Object.entries(named);
  const wrong = found.find(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong === undefined) return found;
  const [start = ''] = wrong[0].split('\n');
  const lines = text.split('\n').map((line) => line.replace(/^\s*(export\s+)?/, ''));
  const at = lines.findIndex((line) => line.startsWith(start)) + 1;
  throw new UsageError(
    `${path}:${at}: must be NAME=VALUE; a name has letters, digits and "_", and begins with no digit`,
  );
}

async function newFile(context: Context, local: string, remote: string): Promise<NewFile> {
  const content = await read(context, local);
  const { mode } = await stat(resolve(context.cwd, local));
  return {
    path: remote,
    content_base64: content.toString('base64'),
    mode: (mode & 0o777).toString(8).padStart(4, '0'),
  };
}

async function read(context: Context, path: string): Promise<Buffer> {
  return readBounded(resolve(context.cwd, path), MOST_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof FileTooLargeError)) throw cannotRead(path, cause);
    throw new UsageError(`${path}: ${cause.message}`, 'copy it afterwards: vc cp');
  });
}

function pair(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  if (colon > 0 && colon < text.length - 1) return [text.slice(0, colon), text.slice(colon + 1)];
  throw new UsageError('must be LOCAL:REMOTE, such as app.json:/etc/app.json');
}
