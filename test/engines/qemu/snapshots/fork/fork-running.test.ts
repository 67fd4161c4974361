import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../../src/contract/errors.js';
import type { QemuHost } from '../../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../../src/engines/qemu/layout.js';
import { writeMachineRecord } from '../../../../../src/engines/qemu/machine/machine-record.js';
import type { QemuProcess } from '../../../../../src/engines/qemu/machine/qemu-process.js';
import { MachineRegistry } from '../../../../../src/engines/qemu/machine/registry.js';
import { forkMachine } from '../../../../../src/engines/qemu/snapshots/fork/fork.js';
import type { Templates } from '../../../../../src/engines/qemu/snapshots/templates/templates.js';
import { type Deferred, deferred } from '../../../../../src/lib/async/deferred.js';
import { machineRecord } from '../../../../support/qemu/machine-record.js';

const mocks = vi.hoisted(() => {
  // Test files share their modules: load them again with the mocks, and afterwards without them.
  vi.resetModules();
  const source = '../../../../../src/engines/qemu';
  const modules = {
    ways: `${source}/snapshots/fork/ways.js`,
    saveMapped: `${source}/snapshots/fork/save-mapped.js`,
    saveRunning: `${source}/snapshots/fork/save-running.js`,
    startQemu: `${source}/machine/start-qemu.js`,
    configure: `${source}/guest/configure.js`,
  };
  const calls = { save: vi.fn(), startQemu: vi.fn(), withAgent: vi.fn() };
  vi.doMock(modules.ways, () => ({ waysToFork: () => ['fork-mapped', 'fork'] }));
  vi.doMock(modules.saveMapped, () => ({ saveMapped: () => calls.save('fork-mapped') }));
  vi.doMock(modules.saveRunning, () => ({ saveRunning: () => calls.save('fork') }));
  vi.doMock(modules.startQemu, () => ({ startQemu: calls.startQemu }));
  vi.doMock(modules.configure, () => ({
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
    acceleration: async () => ({ kind: 'tcg', arguments: [] }),
    network: async () => ({ guest: null }),
  } as unknown as QemuHost;
  registry = new MachineRegistry({
    ...{ host, serviceId: 'test', templates: {} as Templates },
    ...{ onChange: () => undefined, onHangUp: () => undefined },
  });
  agent = deferred();
  mocks.save.mockReset().mockResolvedValue(LAYERS);
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
  const problems: string[] = [];
  const onProblem = (message: string) => problems.push(message);
  const copying = registry.withTwo(from, to, (source, copy) => {
    const parts = { host, templates: {} as Templates, signal: undefined };
    return forkMachine(source, copy, { ...spec, id: to }, { ...parts, onProblem });
  });
  return { outcome: copying.then(() => 'done', String), problems };
}

const silent = () => new ApiError('guest_timeout', 'The system did not start within 120 s.');

describe('a copy whose guest does not answer', () => {
  it('is given up, and not copied in another way', async () => {
    const { outcome, problems } = await fork('one', 'two');
    await expect.poll(() => mocks.withAgent.mock.calls.length).toBe(1);
    agent.reject(silent());
    expect(await outcome).toContain('did not start within 120 s');
    expect(mocks.save.mock.calls).toEqual([['fork-mapped']]);
    expect(problems).toEqual([]);
    expect(await readdir(host.layout.machines)).toEqual(['one']);
  });
});

it('a copy that cannot be resumed is made in another way', async () => {
  mocks.startQemu.mockRejectedValueOnce(new Error('bad state'));
  const { outcome, problems } = await fork('one', 'two');
  agent.resolve();
  expect(await outcome).toBe('done');
  expect(mocks.save.mock.calls).toEqual([['fork-mapped'], ['fork']]);
  expect(problems).toEqual(['A computer is copied in a slower way: bad state']);
});
