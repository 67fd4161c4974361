import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateComputer, CreateKey } from '../../src/contract/resources.js';
import { generateApiKey } from '../../src/fleet/computers/ids.js';
import { Fleet, type FleetOptions } from '../../src/fleet/fleet.js';
import { MachineSessions } from '../../src/fleet/sessions/machine-sessions.js';
import { closeDatabase, databaseFile, openDatabase } from '../../src/fleet/store/database.js';
import { openStore, type Store } from '../../src/fleet/store/index.js';
import { fakeConnectors } from './fake-connectors.js';
import { FakeEngine } from './fake-engine.js';

export const silentLog = { debug() {}, info() {}, warn() {}, error() {} };

/** A database with the current schema and no rows. */
let emptyDatabase: Buffer | undefined;

/** Has a copy of an empty database: creating its tables takes longer than all else of a fleet. */
function newStateDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'vc-fleet-'));
  const file = databaseFile(directory);
  if (emptyDatabase === undefined) {
    closeDatabase(openDatabase(directory));
    emptyDatabase = readFileSync(file);
  } else writeFileSync(file, emptyDatabase, { mode: 0o600 });
  // Without it, each store would write as many random bytes first.
  const reserve = join(directory, 'reserve');
  writeFileSync(reserve, '');
  truncateSync(reserve, 4 * 1024 * 1024);
  return directory;
}

/** Fields of an API key without a budget. */
export const noBudget = { max_computers: null, max_hours: null, max_actions: null };

/** A request for an API key with all rights. */
export function allRights(name: string): CreateKey {
  return { name, rights: 'manage', project: null, expires_at: null, ...noBudget };
}

/** A request for a small computer. */
export function wanted(name: string): CreateComputer {
  return {
    ...{ name, os: 'linux', ram: 2, cpu: 2, gpu: 'none', protected: false },
    ...{ resolution: { width: 640, height: 480 }, auto_stop_minutes: null },
    ...{ on_idle: 'stop', labels: {} },
  };
}

export interface TestFleet {
  readonly fleet: Fleet;
  readonly store: Store;
  readonly engine: FakeEngine;
  readonly connectors: ReturnType<typeof fakeConnectors>;
  readonly directory: string;
  readonly key: string;
  /** Origins of web pages that may use the service. */
  readonly origins: readonly string[];
  /** Creates another owner, who is not an administrator; returns its key. */
  addOwner(name: string): string;
  /** Closes the fleet and opens another one on the same state, as after a crash or restart. */
  restart(): Promise<TestFleet>;
  close(): Promise<void>;
}

export async function openTestFleet(
  options: {
    maxRunning?: number;
    controlMs?: number;
    recording?: FleetOptions['recording'];
    webhooks?: FleetOptions['webhooks'];
    previews?: FleetOptions['previews'];
    allowPrivateTargets?: boolean;
    directory?: string;
    engine?: FakeEngine;
    /** Further engines, and the one for new computers if it is not the first. */
    other?: FakeEngine;
    preferred?: string;
    key?: string;
    origins?: readonly string[];
    connectors?: ReturnType<typeof fakeConnectors>;
  } = {},
): Promise<TestFleet> {
  const directory = options.directory ?? newStateDirectory();
  const engine = options.engine ?? new FakeEngine();
  const connectors = options.connectors ?? fakeConnectors();
  let key = options.key ?? generateApiKey();
  const store = openStore(directory);
  const fleet = new Fleet({
    store,
    engines: {
      all: new Map([engine, ...(options.other ? [options.other] : [])].map((e) => [e.name, e])),
      preferred: options.preferred ?? engine.name,
    },
    maxRunning: options.maxRunning ?? 2,
    controlMs: options.controlMs,
    recording: options.recording,
    webhooks: options.webhooks,
    previews: options.previews,
    allowPrivateTargets: options.allowPrivateTargets,
    log: silentLog,
    machineSessions: new MachineSessions(store, connectors),
  });
  await fleet.apiKeys.ensureOwner(async (first) => {
    key = first;
  });
  return {
    fleet,
    store,
    engine,
    connectors,
    directory,
    key,
    origins: options.origins ?? [],
    addOwner: (name) => {
      const administrator = fleet.apiKeys.authenticate(key);
      if (administrator === undefined) throw new Error('the first key is not known');
      return fleet.owners.create(administrator, { name, max_running: null }).key.key;
    },
    restart: async () => {
      await fleet.close();
      return openTestFleet({ ...options, directory, engine, key });
    },
    close: async () => {
      await fleet.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
