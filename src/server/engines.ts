import type { EngineOptionValues } from '../engines/descriptor.js';
import type { Engine, WarmUp } from '../engines/engine.js';
import { engines as descriptors } from '../engines/index.js';
import { firstUsable } from '../engines/select.js';
import { generateId } from '../fleet/computers/ids.js';
import { networksOn } from '../fleet/computers/networks.js';
import type { EngineSet } from '../fleet/lifecycle/machines.js';
import { READY_SCRIPT } from '../fleet/lifecycle/readiness.js';
import type { MachineSessions } from '../fleet/sessions/machine-sessions.js';
import type { Store } from '../fleet/store/index.js';
import type { Log } from '../lib/log.js';
import { openScreen } from '../screen/index.js';
import { generateKeyPair } from '../shell/keys.js';
import { openShell } from '../shell/shell.js';

const FIRST_MS = 30_000;

/** Does what most clients do first: reads the screen and runs a command, once the desktop is painted. */
async function warmUp({ dial, access, pixels, signal }: WarmUp): Promise<void> {
  const options = { signal, pixels, timeoutMs: FIRST_MS };
  const screen = await openScreen(await dial('screen'), options);
  screen.close();
  if (access === undefined) return;
  const shell = await openShell(await dial('shell'), {
    ...access,
    signal,
    timeoutMs: FIRST_MS,
  });
  try {
    await shell.run({ command: READY_SCRIPT, timeoutMs: FIRST_MS, background: false });
    await shell.python({ code: 'pass', timeoutMs: FIRST_MS });
  } finally {
    shell.close();
  }
}

export interface EngineOptions {
  /** The engine of new computers; `auto` offers all and prefers the first that can be used. */
  readonly engine: string;
  /** Holds the database, the machines' sockets, images and disks; made 0700. */
  readonly stateDirectory: string;
  /** CIDRs of private networks that computers may reach. */
  readonly allowNetworks: readonly string[];
  /** May computers reach the public internet? */
  readonly internet: boolean;
  readonly engineOptions: EngineOptionValues;
}

/**
 * The engines of a service: those that new computers may get, and those that existing computers
 * are on.
 */
export async function composeEngines(
  options: EngineOptions,
  { serviceId, computers }: Pick<Store, 'serviceId' | 'computers'>,
  log: Pick<Log, 'warn'>,
  sessions: Pick<MachineSessions, 'prepare' | 'discard'>,
): Promise<EngineSet> {
  const used = new Set(computers.listAll().map(({ engine }) => engine));
  const automatic = descriptors.filter(({ onlyByName }) => !onlyByName).map(({ name }) => name);
  const isOffered = (name: string) =>
    options.engine === 'auto' ? automatic.includes(name) : options.engine === name;
  const { stateDirectory, internet, allowNetworks, engineOptions } = options;
  // An engine that is not needed is not loaded.
  const needed = descriptors.filter(({ name }) => isOffered(name) || used.has(name));
  const engines = await Promise.all(
    needed.map(async ({ name, open }) => {
      const engine: Engine = await open(stateDirectory, {
        serviceId,
        internet,
        allowNetworks,
        options: engineOptions,
        networks: () => networksOn(computers, name),
        warmUp,
        identify: () => ({ id: generateId('cmp'), ...generateKeyPair() }),
        prepare: (machine, signal) => sessions.prepare(engine, machine, signal),
        discard: (id) => sessions.discard(id),
        onProblem: (reason) => log.warn({ engine: name, reason }, 'engine problem'),
      });
      return engine;
    }),
  );
  const offered = engines.filter(({ name }) => isOffered(name));
  return {
    all: new Map(engines.map((engine) => [engine.name, engine])),
    offered: offered.map(({ name }) => name),
    preferred: (await firstUsable(offered)).name,
  };
}
