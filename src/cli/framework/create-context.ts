import { resolve } from 'node:path';
import type { Client } from '../../client/client.js';
import type { Environment } from '../../profile/index.js';
import {
  configDirectory,
  ProfileStore,
  resolveSettings,
  type Settings,
} from '../../profile/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { startProgress } from '../output/progress.js';
import { wantsColor } from '../output/style.js';
import { checkReachable, openClient } from '../targets/client.js';
import type { Context, Globals } from './context.js';
import { Interrupts } from './interrupts.js';
import { type Io, processIo } from './io.js';

/** Replaces the process's own streams, environment and clock, for tests and nested commands. */
export interface Overrides {
  readonly io?: Io;
  readonly env?: Environment;
  readonly cwd?: string;
  readonly interrupts?: Interrupts;
  readonly now?: () => Date;
  /** As in the client's options. */
  readonly checkAfterMs?: number | undefined;
}

/** The parts of a context that do not depend on the command line. */
export interface Runtime {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupts: Interrupts;
  readonly now: () => Date;
  readonly checkAfterMs: number | undefined;
  /** Open clients, closed when the command ends. */
  readonly clients: Client[];
  /** Printed when the command is interrupted: what the service keeps doing. */
  interruptNote: string | undefined;
}

export function createRuntime(overrides: Overrides): Runtime {
  return {
    io: overrides.io ?? processIo(),
    env: overrides.env ?? process.env,
    cwd: overrides.cwd ?? process.cwd(),
    interrupts: overrides.interrupts ?? new Interrupts(),
    now: overrides.now ?? (() => new Date()),
    checkAfterMs: overrides.checkAfterMs,
    clients: [],
    interruptNote: undefined,
  };
}

/** The context of one command. */
export function createContext(runtime: Runtime, globals: Globals, run: Context['run']): Context {
  const { io, env, cwd, interrupts, now, clients } = runtime;
  const profiles = () => new ProfileStore(configDirectory(env));
  // Nested commands and other programs may have another directory.
  const cacert = globals.cacert === undefined ? {} : { cacert: resolve(cwd, globals.cacert) };
  const settings = lazy(() => resolveSettings(profiles(), env, { ...globals, ...cacert }));
  return {
    io,
    env,
    cwd,
    globals: { ...globals, ...cacert },
    interrupts,
    now,
    profiles,
    settings,
    run,
    addresses: new Map(),
    client: lazy(async () => {
      const resolved = await settings();
      const client = clientOf(resolved, runtime.checkAfterMs);
      clients.push(client);
      if (resolved.apiKey === undefined) await failWithoutKey(client, resolved, interrupts.signal);
      return client;
    }),
    prompt: lazy(async () => (await import('../input/prompt.js')).createPrompt(io, interrupts)),
    progress: (text) => startProgress(text, { io, globals, env }),
    style: async (stream) => {
      const { Chalk } = await import('chalk');
      return new Chalk({ level: wantsColor(io[stream], env, globals) ? 1 : 0 });
    },
    whenInterrupted: (note) => {
      runtime.interruptNote = note;
    },
  };
}

function clientOf(
  { baseUrl, apiKey, socketPath, ca }: Settings,
  checkAfterMs: number | undefined,
): Client {
  try {
    return openClient({
      baseUrl: baseUrl.value,
      apiKey: apiKey?.value,
      socketPath,
      ca,
      ...(checkAfterMs === undefined ? {} : { checkAfterMs }),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const origins = `the base URL comes from ${baseUrl.from}, the key from ${apiKey?.from ?? 'nowhere'}`;
    throw new UsageError(error.message, origins);
  }
}

/** An unreachable service is reported before a missing key. */
async function failWithoutKey(client: Client, settings: Settings, signal: AbortSignal) {
  const { baseUrl, profile } = settings;
  await checkReachable(client, signal);
  const named = profile.source === 'default' ? '' : `--profile ${profile.value} `;
  throw new CliError(`there is no API key for ${baseUrl.value}`, {
    remedy: `set VC_API_KEY, or: vc login ${named}--base-url ${baseUrl.value}`,
    exitCode: ExitCode.authentication,
    code: 'unauthorized',
  });
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
