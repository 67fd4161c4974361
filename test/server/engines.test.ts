import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/engines/engine.js';
import { firstUsable } from '../../src/engines/select.js';
import { MachineSessions } from '../../src/fleet/sessions/machine-sessions.js';
import { openStore, type Store } from '../../src/fleet/store/index.js';
import { composeEngines } from '../../src/server/engines.js';
import { FakeEngine, FakeVmEngine } from '../support/fake-engine.js';
import { silentLog } from '../support/fleet.js';

let directory: string;
let store: Store;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-engines-'));
  store = openStore(directory);
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true });
});

const options = { engineOptions: { spares: 0 }, allowNetworks: [], internet: true };
const compose = (engine: 'docker' | 'qemu') =>
  composeEngines(
    { ...options, engine, stateDirectory: directory },
    ...([store, silentLog, new MachineSessions(store)] as const),
  );
const unusable = (engine: Engine): Engine => {
  const probe = { usable: false, reason: 'away', remedy: 'start it' } as const;
  vi.spyOn(engine, 'probe').mockResolvedValue(probe);
  return engine;
};

it('prefers Docker if an Engine answers, else the first usable engine', async () => {
  const [docker, qemu] = [new FakeEngine(), new FakeVmEngine()];
  expect((await firstUsable([docker, qemu])).name).toBe('docker');
  expect((await firstUsable([unusable(docker), qemu])).name).toBe('qemu');
  expect((await firstUsable([unusable(docker), unusable(qemu)])).name).toBe('docker');
});

it('loads only the named engine', async () => {
  const { all, offered, preferred } = await compose('docker');
  expect([[...all.keys()], offered, preferred]).toEqual([['docker'], ['docker'], 'docker']);
  expect(existsSync(join(directory, 'qemu'))).toBe(false);
});

it('manages existing computers on an engine that is no longer offered', async () => {
  vi.spyOn(store.computers, 'listAll').mockReturnValue([
    { engine: 'docker' } as ReturnType<typeof store.computers.listAll>[number],
  ]);
  const { all, offered, preferred } = await compose('qemu');
  expect([[...all.keys()], offered, preferred]).toEqual([['docker', 'qemu'], ['qemu'], 'qemu']);
});
