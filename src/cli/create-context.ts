import type { Client } from '../client/client.js';
import type { Environment } from '../profile/index.js';
import { configDirectory, ProfileStore, resolveSettings, type Settings } from '../profile/index.js';
import { checkReachable, openClient } from './client.js';
import type { Context, Globals } from './context.js';
import { CliError, UsageError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { Interrupts } from './interrupts.js';
import { type Io, processIo } from './io.js';
import { startProgress } from './progress.js';
import { wantsColor } from './style.js';

/** What a test, or another host of the command line, puts in place of the process's own. */
export interface Overrides {
  readonly io?: Io;
  readonly env?: Environment;
  readonly cwd?: string;
  readonly interrupts?: Interrupts;
  readonly now?: () => Date;
}

/** The context's parts that hold for the whole run, whatever the command line says. */
export interface Surroundings {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupts: Interrupts;
  readonly now: () => Date;
  /** Open clients, to be closed at the end. */
  readonly clients: Client[];
  /** What goes on in the background when the command is interrupted. */
  goesOn: string | undefined;
}

export function createSurroundings(overrides: Overrides): Surroundings {
  return {
    io: overrides.io ?? processIo(),
    env: overrides.env ?? process.env,
    cwd: overrides.cwd ?? process.cwd(),
    interrupts: overrides.interrupts ?? new Interrupts(),
    now: overrides.now ?? (() => new Date()),
    clients: [],
    goesOn: undefined,
  };
}

/** The context of one command. */
export function createContext(surroundings: Surroundings, globals: Globals): Context {
  const { io, env, cwd, interrupts, now, clients } = surroundings;
  const profiles = () => new ProfileStore(configDirectory(env));
  const settings = lazy(() => resolveSettings(profiles(), env, globals));
  return {
    ...{ io, env, cwd, globals, interrupts, now, profiles, settings },
    client: lazy(async () => {
      const resolved = await settings();
      const client = clientOf(resolved);
      clients.push(client);
      if (resolved.apiKey === undefined) await failWithoutKey(client, resolved, interrupts.signal);
      return client;
    }),
    prompt: lazy(async () => (await import('./prompt.js')).createPrompt(io, interrupts)),
    progress: (text) => startProgress(text, { io, globals, env }),
    style: async (stream) => {
      const { Chalk } = await import('chalk');
      return new Chalk({ level: wantsColor(io[stream], env, globals) ? 1 : 0 });
    },
    whenInterrupted: (hint) => {
      surroundings.goesOn = hint;
    },
  };
}

function clientOf({ baseUrl, apiKey }: Settings): Client {
  try {
    return openClient({ baseUrl: baseUrl.value, apiKey: apiKey?.value });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const origins = `the base URL comes from ${baseUrl.from}, the key from ${apiKey?.from ?? 'nowhere'}`;
    throw new UsageError(error.message, origins);
  }
}

/** Without a key nothing works; but a service that is not there is what has to be mended first. */
async function failWithoutKey(client: Client, settings: Settings, signal: AbortSignal) {
  const { baseUrl, profile } = settings;
  await checkReachable(client, signal);
  const named = profile.source === 'default' ? '' : `--profile ${profile.value} `;
  throw new CliError(`there is no API key for ${baseUrl.value}`, {
    hint: `set VC_API_KEY, or: vc login ${named}--base-url ${baseUrl.value}`,
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
