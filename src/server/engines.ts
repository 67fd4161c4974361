import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.js';
import type { EngineSet } from '../fleet/machines.js';
import type { Log } from '../fleet/reconcile.js';
import type { Store } from '../fleet/store/index.js';
import { rehearse } from './rehearse.js';

export interface EngineOptions {
  /** `auto` offers all of them and prefers Docker if an Engine answers, else QEMU. */
  readonly engine: 'auto' | 'docker' | 'qemu';
  /** Holds the database, the machines' sockets, images and disks; made 0700. */
  readonly stateDirectory: string;
  readonly allowSudo: boolean;
  /** CIDRs of private networks that computers may reach all the same. */
  readonly allowNetworks: readonly string[];
  /** May computers reach the public internet? */
  readonly internet: boolean;
  /** Machines that are kept ready to be handed out, on engines that start them from templates. */
  readonly spares: number;
}

/**
 * The engines of a service: those that new computers may get, and those that computers made
 * earlier are on, which are looked after whatever new ones get.
 */
export async function composeEngines(
  options: EngineOptions,
  { serviceId, computers }: Pick<Store, 'serviceId' | 'computers'>,
  log: Pick<Log, 'warn'>,
): Promise<EngineSet> {
  const used = new Set(computers.listAll().map(({ engine }) => engine));
  const isOffered = (name: string) => options.engine === 'auto' || options.engine === name;
  const needed = makers.filter(({ name }) => isOffered(name) || used.has(name));
  const engines = await Promise.all(needed.map(({ make }) => make(options, serviceId, log)));
  const offered = engines.filter(({ name }) => isOffered(name));
  return {
    all: new Map(engines.map((engine) => [engine.name, engine])),
    offered: offered.map(({ name }) => name),
    preferred: (await preferred(offered)).name,
  };
}

interface Maker {
  readonly name: string;
  make(options: EngineOptions, serviceId: string, log: Pick<Log, 'warn'>): Promise<Engine>;
}

/** In the order in which they are preferred. An engine that is not needed is not even loaded. */
const makers: readonly Maker[] = [
  {
    name: 'docker',
    make: async ({ stateDirectory, allowSudo, allowNetworks, internet }, serviceId) => {
      const directory = join(stateDirectory, 'machines');
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { createDockerEngine } = await import('../engines/docker/index.js');
      return createDockerEngine({ serviceId, directory, allowSudo, allowNetworks, internet });
    },
  },
  {
    name: 'qemu',
    make: async ({ stateDirectory, allowNetworks, internet, spares }, serviceId, log) => {
      const directory = join(stateDirectory, 'qemu');
      const onProblem = (reason: string) => log.warn({ engine: 'qemu', reason }, 'engine problem');
      const { createQemuEngine } = await import('../engines/qemu/index.js');
      const options = { serviceId, directory, allowNetworks, internet, spares };
      return createQemuEngine({ ...options, rehearse, onProblem });
    },
  },
];

/** The first that can be used; where none can, the first, so that its remedy is what is told. */
export async function preferred(engines: readonly Engine[]): Promise<Engine> {
  const [first, ...others] = engines;
  if (first === undefined) throw new Error('there is no engine to choose from');
  if (others.length === 0 || (await first.probe()).usable) return first;
  for (const engine of others) if ((await engine.probe()).usable) return engine;
  return first;
}
