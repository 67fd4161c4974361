import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import type { QemuHost } from '../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../src/engines/qemu/layout.js';
import { writeMachineRecord } from '../../../../src/engines/qemu/machine/machine-record.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { MachineRegistry } from '../../../../src/engines/qemu/machine/registry.js';
import { forkMachine } from '../../../../src/engines/qemu/snapshots/fork.js';
import { SavedStore } from '../../../../src/engines/qemu/snapshots/saved/store.js';
import type { Templates } from '../../../../src/engines/qemu/snapshots/templates/templates.js';
import { type Deferred, deferred } from '../../../../src/lib/async/deferred.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const mocks = vi.hoisted(() => {
  // Test files share their modules: load them again with the mocks, and afterwards without them.
  vi.resetModules();
  const source = '../../../../src/engines/qemu';
  const modules = {
    saveRunning: `${source}/snapshots/save-running.js`,
    startQemu: `${source}/machine/start-qemu.js`,
    agent: `${source}/guest/agent.js`,
  };
  const calls = { save: vi.fn(), startQemu: vi.fn(), withAgent: vi.fn() };
  vi.doMock(modules.saveRunning, () => ({ saveRunning: calls.save }));
  vi.doMock(modules.startQemu, () => ({ startQemu: calls.startQemu }));
  vi.doMock(modules.agent, () => ({
    guestIdentity: () => ({}),
    withAgent: calls.withAgent,
  }));
  return { modules, ...calls };
});
afterAll(() => {
  for (const path of Object.values(mocks.modules)) vi.doUnmock(path);
  vi.resetModules();
});

const LAYERS = ['image.qcow2', 'disk-1.qcow2'];

let root: string;
let registry: MachineRegistry;
let host: QemuHost;
/** The answer of the copy's guest. */
let agent: Deferred<void>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-fork-'));
  const layout = new Layout(root);
  host = {
    layout,
    ...{ version: async () => '7.2', canCompress: async () => false },
    acceleration: async () => ({ kind: 'tcg', arguments: [] }),
    network: async () => ({ guest: null }),
  } as unknown as QemuHost;
  registry = new MachineRegistry({
    ...{ host, serviceId: 'test', templates: {} as Templates },
    ...{ onChange: () => undefined, onHangUp: () => undefined },
  });
  agent = deferred();
  mocks.save.mockReset().mockImplementation(async (_machine, _qemu, _record, { directory }) => {
    await writeFile(join(directory, 'state'), '');
    return LAYERS;
  });
  mocks.startQemu.mockReset().mockImplementation(async () => fakeQemu());
  mocks.withAgent.mockReset().mockImplementation(() => agent.promise);
});
afterEach(() => rm(root, { recursive: true, force: true }));

function fakeQemu(): QemuProcess {
  const exited = deferred<void>();
  const qemu = {
    alive: true,
    exited: exited.promise,
    workspace: {},
    onEvent: () => undefined,
    release: () => undefined,
    execute: async () => ({}),
    end: async () => {
      qemu.alive = false;
      exited.resolve();
    },
  };
  return qemu as unknown as QemuProcess;
}

/** Copies the machine `from`, which runs, to `to`. */
async function fork(from: string, to: string) {
  const about = await machineRecord({ intended: 'stopped', process: null, layers: LAYERS });
  const spec = { ...about.spec, id: from };
  const directory = host.layout.machine(from);
  await mkdir(directory, { recursive: true });
  for (const file of [...LAYERS, 'kernel', 'initrd']) await writeFile(join(directory, file), '');
  await writeMachineRecord(directory, { ...about, spec });
  const { machine } = await registry.get(from);
  machine.attach(fakeQemu());
  const copying = registry.withTwo(from, to, (source, copy) => {
    const saved = new SavedStore(host.layout);
    const parts = { host, templates: {} as Templates, saved, signal: undefined };
    return forkMachine(source, copy, { ...spec, id: to }, parts);
  });
  return copying.then(() => 'done', String);
}

it('a copy runs once its guest has answered', async () => {
  agent.resolve();
  expect(await fork('one', 'two')).toBe('done');
  expect((await registry.get('two')).machine.state.status).toBe('running');
});

it('nothing is left of a copy whose guest does not answer', async () => {
  agent.reject(new ApiError('guest_timeout', 'The system did not start within 120 s.'));
  expect(await fork('one', 'two')).toContain('did not start within 120 s');
  expect(await readdir(host.layout.machines)).toEqual(['one']);
});

it('nothing is left of a copy that cannot be resumed', async () => {
  mocks.startQemu.mockRejectedValueOnce(new Error('bad state'));
  agent.resolve();
  expect(await fork('one', 'two')).toContain('The computer cannot be copied: bad state');
  expect(await readdir(host.layout.machines)).toEqual(['one']);
});
