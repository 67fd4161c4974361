import { basename, dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Answer } from '../../contract/types/index.js';
import { FileTooLargeError, readBounded } from '../../lib/fs/read-bounded.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { isNotFound, request } from '../targets/client.js';
import { type Parsed, parseFleetFile } from './parse.js';
import { planOf, type Step } from './plan.js';
import type { Variables } from './variables.js';
import { missingVolumes, type NewVolume } from './volumes.js';
import { wantedComputers } from './wanted.js';

const MOST_BYTES = 1024 * 1024;

/** A file that was read and checked. */
export interface Fleet extends Parsed {
  /** Name of the file, for messages. */
  readonly shown: string;
  readonly project: string;
  /** The context of the command with the directory of the file. */
  readonly inDirectory: Context;
}

/** Reads a fleet file and the `.env` beside it; -p replaces its project. Throws CliError. */
export async function loadFleet(context: Context, given: string): Promise<Fleet> {
  const { text, variables, inDirectory } = await readWithVariables(context, given);
  const parsed = parseFleetFile(text, given, variables);
  return {
    ...parsed,
    shown: basename(given),
    project: context.globals.project ?? parsed.file.name,
    inDirectory,
  };
}

/** The text of a file, with the variables of the `.env` beside it and of the environment. */
export async function readWithVariables(context: Context, given: string) {
  const path = resolve(context.cwd, given);
  const cwd = dirname(path);
  const text = await read(path, given);
  const own = await read(resolve(cwd, '.env'), '.env', 'optional');
  const variables: Variables = { ...parseEnv(own), ...context.env };
  return { text, variables, inDirectory: { ...context, cwd } };
}

async function read(path: string, shown: string, isNeeded?: 'optional'): Promise<string> {
  try {
    return (await readBounded(path, MOST_BYTES)).toString('utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing && isNeeded === 'optional') return '';
    if (!(cause instanceof FileTooLargeError)) throw cannotRead(shown, cause);
    throw new UsageError(`${shown}: ${cause.message}`, 'move scripts and files out of it');
  }
}

/** The steps from what exists to what the file says, the project if it exists, and missing volumes. */
export async function planFleet(
  context: Context,
  fleet: Fleet,
): Promise<{
  readonly steps: readonly Step[];
  readonly existing: Project | undefined;
  readonly volumes: readonly NewVolume[];
}> {
  const wanted = await wantedComputers(fleet.inDirectory, fleet.project, fleet);
  const existing = await findProject(context, fleet.project);
  const volumes = await missingVolumes(context, fleet);
  return { steps: planOf(wanted, existing?.computers ?? []), existing, volumes };
}

type Project = Answer<'getProject'>;

export async function findProject(context: Context, project: string): Promise<Project | undefined> {
  return request(context, 'getProject', { params: { project } }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
}
