import { scryptSync } from 'node:crypto';
import { resolve } from 'node:path';
import { CreateComputer } from '../../contract/resources/computer-requests.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { hashBuild } from '../images/build-directory.js';
import { setupFields } from '../input/setup-files.js';
import { UP } from './own-labels.js';
import { namesOf, type Parsed } from './parse.js';
import type { FileComputer } from './schema.js';

/** An image to build before the computers. */
export interface WantedImage {
  readonly tag: string;
  readonly directory: string;
  readonly file: string | undefined;
  readonly args: readonly string[];
  readonly target: string | undefined;
  readonly engine: string | undefined;
}

/** A computer of the file, with the contents of its files. */
export interface Wanted {
  readonly name: string;
  /** Names of computers. */
  readonly needs: readonly string[];
  /** What to create it with; `labels` has those by which it is found again. */
  readonly body: CreateComputer;
  readonly image: WantedImage | undefined;
}

/**
 * The computers of a file, whose paths are relative to `context.cwd`, in an order in which each comes
 * after those that it needs. Throws UsageError.
 */
export async function wantedComputers(
  context: Context,
  project: string,
  { file, problemOf }: Parsed,
): Promise<readonly Wanted[]> {
  const all = new Map<string, readonly Wanted[]>();
  for (const [name, given] of Object.entries(file.computers)) {
    const { count, depends_on: needs } = given;
    const options = await readOptions(context, project, name, given).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      throw problemOf(name, `cannot be created: ${error.message}`);
    });
    const wanted = namesOf(name, count).map((one): Wanted => {
      const result = CreateComputer.safeParse({ ...options.body, name: one });
      const [issue] = result.error?.issues ?? [];
      if (issue !== undefined) {
        throw problemOf(name, `cannot be created: ${issue.path.join('.')} ${issue.message}`);
      }
      const body = result.data as CreateComputer;
      const labels = { ...body.labels, ...ownLabels(project, body, options.buildHash) };
      return {
        name: one,
        needs: needs.flatMap((entry) => namesOf(entry, file.computers[entry]?.count)),
        body: { ...body, labels },
        image: options.image,
      };
    });
    all.set(name, wanted);
  }
  checkImages([...all.values()].flat());
  return inOrder(file.computers).flatMap((name) => all.get(name) ?? []);
}

/** The fields of a request for a computer, after its files were read. */
export async function readFields<T extends ComputerFiles>(context: Context, given: T) {
  const { env_file, setup_file, files = [], ...options } = given;
  const copies = files.filter((one) => typeof one === 'string');
  const read = await setupFields(context, {
    env: Object.entries(given.env ?? {}),
    envFile: env_file ?? [],
    file: copies.map((one) => pairOf(one)),
    setup: setup_file,
  });
  const all = [...files.filter((one) => typeof one !== 'string'), ...(read.files ?? [])];
  return { ...options, ...read, ...(all.length > 0 && { files: all }) };
}

type ComputerFiles = Pick<FileComputer, 'env' | 'env_file' | 'setup_file' | 'files'>;

/** The request for a computer without its name, after its files were read. */
async function readOptions(context: Context, project: string, name: string, given: FileComputer) {
  const { build, count: _, depends_on, ...options } = given;
  const body = await readFields(context, options);
  if (build === undefined) return { body, image: undefined, buildHash: undefined };
  const {
    context: directory,
    dockerfile,
    args = {},
    target,
  } = typeof build === 'string' ? { context: build } : build;
  const tag = options.image ?? `${project}-${name}`.toLowerCase();
  const image: WantedImage = {
    tag,
    directory,
    file: dockerfile === undefined ? undefined : resolve(context.cwd, directory, dockerfile),
    args: Object.entries(args).map(([key, value]) => `${key}=${value}`),
    target,
    engine: options.engine,
  };
  const buildHash = await hashBuild(context, image);
  return { body: { ...body, image: tag }, image, buildHash };
}

function pairOf(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function ownLabels(project: string, body: CreateComputer, buildHash: string | undefined) {
  const { name, labels: _, auto_stop_minutes, on_idle, protected: __, ...rest } = body;
  const { cpu, ram, resolution, env, expires_in: expires, network, ...fixed } = rest;
  const salt = `${project}/${name}`;
  return {
    [UP.name]: name,
    [UP.config]: digest(salt, { ...fixed, buildHash }),
    ...(env !== undefined && { [UP.env]: digest(salt, env) }),
    ...(expires !== undefined && { [UP.expires]: String(expires) }),
  };
}

/** A digest that anybody may see, of values that may be secret and short: guesses cost time. */
function digest(salt: string, value: unknown): string {
  const sorted = JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
  return scryptSync(sorted, salt, 16, { N: 4096 }).toString('hex');
}

/** Two different builds of one name would replace each other in each run. */
function checkImages(all: readonly Wanted[]): void {
  const builds = new Map<string, string>();
  for (const { image } of all) {
    if (image === undefined) continue;
    const text = JSON.stringify(image);
    if ((builds.get(image.tag) ?? text) !== text) {
      throw new UsageError(
        `two computers build the image ${image.tag} differently`,
        'give one of them another "image"',
      );
    }
    builds.set(image.tag, text);
  }
}

/** Names of the entries, each after those that it depends on. */
function inOrder(computers: Readonly<Record<string, FileComputer>>): readonly string[] {
  const ordered = new Set<string>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    for (const needed of computers[name]?.depends_on ?? []) add(needed);
    ordered.add(name);
  };
  for (const name of Object.keys(computers)) add(name);
  return [...ordered];
}
