import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import type { QemuHost } from '../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../src/engines/qemu/layout.js';
import { writeMachineRecord } from '../../../../src/engines/qemu/machine/machine-record.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { MachineRegistry } from '../../../../src/engines/qemu/machine/registry.js';
import type { Templates } from '../../../../src/engines/qemu/snapshots/templates/templates.js';
import { type Deferred, deferred } from '../../../../src/lib/async/deferred.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const mocks = vi.hoisted(() => {
  // Test files share their modules: load them again with the mocks, and afterwards without them.
  vi.resetModules();
  const source = '../../../../src/engines/qemu';
  const modules = {
    startQemu: `${source}/machine/start-qemu.js`,
    agent: `${source}/guest/agent.js`,
  };
  const calls = { startQemu: vi.fn(), withAgent: vi.fn() };
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
/** The answer of the guest. */
let agent: Deferred<void>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-resume-'));
  const layout = new Layout(root);
  host = {
    layout,
    acceleration: async () => ({ kind: 'tcg', arguments: [] }),
    network: async () => ({ guest: null }),
  } as unknown as QemuHost;
  registry = new MachineRegistry({
    ...{ host, serviceId: 'test', templates: {} as Templates },
    ...{ onChange: () => undefined, onHangUp: () => undefined },
  });
  agent = deferred();
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

/** Starts a new machine that has the memory of a saved disk. */
async function start() {
  const about = await machineRecord({ intended: 'stopped', process: null, layers: LAYERS });
  const directory = host.layout.machine('one');
  await mkdir(directory, { recursive: true });
  for (const file of [...LAYERS, 'state']) await writeFile(join(directory, file), '');
  await writeMachineRecord(directory, { ...about, used: false, resume: 'fork' });
  return registry.start('one').then(() => 'done', String);
}
const state = async () => {
  const { machine, record } = await registry.get('one');
  return { status: machine.state.status, used: record.used, resume: record.resume };
};

it('a machine with saved memory runs once its guest has answered', async () => {
  agent.resolve();
  expect(await start()).toBe('done');
  expect(await state()).toEqual({ status: 'running', used: true, resume: null });
});

it('a machine whose guest does not answer is ended, and can be resumed again', async () => {
  agent.reject(new ApiError('guest_timeout', 'The system did not start within 120 s.'));
  expect(await start()).toContain('did not start within 120 s');
  expect(await state()).toEqual({ status: 'stopped', used: false, resume: 'fork' });
});

it('a machine that cannot be resumed is stopped, and can be resumed again', async () => {
  mocks.startQemu.mockRejectedValueOnce(new Error('bad state'));
  agent.resolve();
  expect(await start()).toContain('bad state');
  expect(await state()).toEqual({ status: 'stopped', used: false, resume: 'fork' });
});
