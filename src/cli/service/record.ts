import { join } from 'node:path';
import { z } from 'zod';
import { engines } from '../../engines/index.js';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import { readWithOwner } from '../../lib/fs/read-bounded.js';
import { type ProcessIdentity, processIs } from '../../lib/process/identity.js';
import type { Environment } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';

const Record = z.object({
  /** Null on a system without /proc. */
  process: z
    .object({ pid: z.number(), startTime: z.number(), bootId: z.string(), uid: z.number() })
    .nullable(),
  version: z.string(),
  /** Base URL for clients on this machine. */
  url: z.string(),
  started_at: z.string(),
  /** Its log file; null where it logs to its own stderr. */
  log: z.string().nullable(),
  /** The command line without `vc`: starts it again with the same options. */
  argv: z.tuple([z.literal('serve')], z.string()),
  /** Environment variables that its engines read. */
  environment: z.record(z.string(), z.string()),
});

/** Largest record that is read. It holds a command line and some environment variables. */
const MOST_BYTES = 4 << 20;

/** The last service of a state directory, which may have ended; the file `service.json` in it. */
export type ServiceRecord = z.infer<typeof Record>;

/** A record and the user who wrote it, whose word it is about everything in it. */
export type FoundRecord = ServiceRecord & { readonly writtenBy: number };

/** The log of a service that runs in the background. */
export function logFile(stateDirectory: string): string {
  return join(stateDirectory, 'serve.log');
}

/** The variables that the engines read, as they are set. */
export function engineEnvironment(env: Environment): Record<string, string> {
  const names = engines.flatMap(({ environment }) => environment.map(([name]) => name));
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

export async function writeServiceRecord(directory: string, record: ServiceRecord): Promise<void> {
  const text = `${JSON.stringify(record)}\n`;
  await writeFileAtomically(fileIn(directory), Buffer.from(text), { mode: 0o600 });
}

/** Undefined if no service has run with this state directory. */
export async function readServiceRecord(directory: string): Promise<FoundRecord | undefined> {
  const path = fileIn(directory);
  try {
    const { data, uid } = await readWithOwner(path, MOST_BYTES);
    const record = Record.parse(JSON.parse(data.toString()));
    // No other variables: they could make a restart by root run another user's code.
    return { ...record, environment: engineEnvironment(record.environment), writtenBy: uid };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = code === 'EACCES' ? 'permission denied' : 'it is damaged';
    const remedy =
      code === 'EACCES' ? 'run this as the user of the service' : 'stop the service and remove it';
    throw new CliError(`cannot read ${path}: ${reason}`, { remedy, cause });
  }
}

/**
 * The process of the service while it runs; never another process with the same id, nor one of another
 * user than the record's: a user could name any process, for root to end it.
 */
export async function runningProcess(
  record: FoundRecord | undefined,
): Promise<ProcessIdentity | undefined> {
  const identity = record?.process ?? undefined;
  if (identity === undefined || identity.uid !== record?.writtenBy) return undefined;
  return (await processIs(identity)) ? identity : undefined;
}

function fileIn(directory: string): string {
  return join(directory, 'service.json');
}
