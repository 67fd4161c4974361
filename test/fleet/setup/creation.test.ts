import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Type } from '../../../src/contract/actions/input.js';
import { CreateComputer, UpdateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import type { OpenShellOptions } from '../../../src/shell/connect.js';
import type { JobState } from '../../../src/shell/jobs/types.js';
import { generateKeyPair } from '../../../src/shell/keys.js';
import type { RunInput, Shell } from '../../../src/shell/types.js';
import { type FakeScreen, fakeConnectors } from '../../support/fake-connectors.js';
import { FakeSnapshottingEngine, gate } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

const OUTPUT = 'preparing\nE: no such package\n';
const VALUE = 'hunter2-hunter2';

let test: TestFleet;
let owner: Owner;
let engine: FakeSnapshottingEngine;
let shells: OpenShellOptions[];
let screens: FakeScreen[];
let ran: RunInput[];
/** What scripts of the service and the setup exit with. */
let exit: { script: number; setup: number };
/** Ends the setup. */
let ended: Promise<void>;

const job = (): JobState => ({
  ...{ id: 'setup', pid: 7, status: 'exited', exitCode: exit.setup, command: '' },
  ...{ startedAt: new Date(0), endedAt: new Date(0), outputBytes: OUTPUT.length, truncated: false },
});

async function fakeShell(options: OpenShellOptions): Promise<Shell> {
  shells.push(options);
  const fake = await fakeConnectors().openShell(undefined as never, options);
  const jobs: Partial<Shell['jobs']> = {
    settled: async () => {
      await ended;
      return [job()];
    },
    get: async () => ({ ...job(), output: OUTPUT, nextOffset: 0 }),
  };
  const run: Shell['run'] = async (input) => {
    ran.push(input);
    const isScript = !input.command.includes('/usr/lib/vc/ready');
    const exitCode = isScript ? exit.script : 0;
    const stdout = exitCode === 0 ? '' : '/etc/x: Permission denied';
    return { stdout, stderr: stdout, exitCode, timedOut: false, truncated: false };
  };
  return Object.assign(fake, { run, jobs: { ...fake.jobs, ...jobs } });
}

beforeEach(async () => {
  shells = [];
  ran = [];
  exit = { script: 0, setup: 0 };
  ended = Promise.resolve();
  engine = new FakeSnapshottingEngine();
  const fakes = fakeConnectors();
  screens = fakes.screens;
  const connectors = {
    ...fakes,
    openShell: (_: unknown, o: OpenShellOptions) => fakeShell(o),
  };
  test = await openTestFleet({ engine, maxRunning: 4, connectors });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
});
afterEach(() => test.close());

const record = (name = 'desk') => test.fleet.computers.find(owner, { project: 'demo', name });
const create = (fields: object) => {
  const input = CreateComputer.parse({ name: 'desk', ...fields });
  return test.fleet.computers.create(
    owner,
    test.fleet.projects.find(owner, 'demo'),
    input,
    'ready',
  );
};
const update = (env: object) =>
  test.fleet.computers.update(record(), UpdateComputer.parse({ env }));
const variables = () => shells.at(-1)?.env?.();
const setups = () => ran.filter(({ jobId }) => jobId === 'setup').length;

describe('with a warm machine', () => {
  /** Offers a warm machine for each computer; their ids. */
  const offerSpares = () => {
    const offered: string[] = [];
    const reserve = async () => {
      const id = `cmp_${String(offered.length).padStart(20, '0')}`;
      offered.push(id);
      return { id, ...generateKeyPair() };
    };
    Object.assign(engine, { reserve, release: () => undefined });
    return offered;
  };

  it('the computer has its variables and its setup, and types secrets of the project', async () => {
    const spares = offerSpares();
    test.fleet.secrets.set(owner, 'demo', 'PASSWORD', VALUE);
    const { id } = await create({ env: { TOKEN: VALUE }, setup: 'make' });
    expect(spares).toEqual([id]);
    expect(variables()).toEqual({ TOKEN: VALUE });
    expect(setups()).toBe(1);
    const typed = { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] };
    await test.fleet.actions.perform(record(), 'type', Type.parse(typed));
    expect(screens.flatMap(({ inputs }) => inputs)).toContain(`type ${VALUE}`);
  });
});

describe('variables', () => {
  it('are those of commands and of the desktop, at each start, and only their names are shown', async () => {
    const computer = await create({ env: { TOKEN: VALUE }, timezone: 'UTC', locale: 'C.UTF-8' });
    expect(computer).toMatchObject({ env_names: ['TOKEN'], timezone: 'UTC', locale: 'C.UTF-8' });
    const all = { TZ: 'UTC', LANG: 'C.UTF-8', TOKEN: VALUE };
    expect(variables()).toEqual(all);
    expect(ran.filter(({ env }) => env !== undefined).map(({ env }) => env)).toEqual([all]);
    expect(JSON.stringify([computer, ran.map(({ command }) => command)])).not.toContain(VALUE);
    await test.fleet.computers.restart(record());
    expect(ran.filter(({ env }) => env !== undefined)).toHaveLength(2);
  });

  it('are encrypted in the state directory', async () => {
    await create({ env: { TOKEN: VALUE }, files: [{ path: 'x', content: VALUE }], setup: VALUE });
    const files = ['vc.db', 'vc.db-wal'].map((name) => {
      try {
        return readFileSync(join(test.directory, name), 'latin1');
      } catch {
        return '';
      }
    });
    expect(files.join('').length).toBeGreaterThan(10_000);
    expect(files.join('')).not.toContain(VALUE);
  });

  it('are changed one by one, for the next command', async () => {
    await create({ env: { A: '1', B: '2' } });
    expect((await update({ B: null, C: '3' })).env_names).toEqual(['A', 'C']);
    expect(variables()).toEqual({ A: '1', C: '3' });
    const many = Object.fromEntries(Array.from({ length: 255 }, (_, i) => [`V${i}`, '']));
    await expect(update(many)).rejects.toThrow('more than 256 variables');
    await expect(update({ A: 'a'.repeat(32_768), D: 'd'.repeat(32_768) })).rejects.toThrow('65536');
    expect(variables()).toEqual({ A: '1', C: '3' });
    expect((await update({ A: null, C: null })).env_names).toEqual([]);
  });

  it('are kept by copies', async () => {
    await create({ env: { TOKEN: VALUE }, locale: 'de_DE.UTF-8', sudo: false });
    const [copy] = await test.fleet.computers.fork(owner, record(), { names: ['copy'] }, 'ready');
    expect(copy).toMatchObject({ env_names: ['TOKEN'], locale: 'de_DE.UTF-8', sudo: false });
    expect(variables()).toMatchObject({ TOKEN: VALUE, LANG: 'de_DE.UTF-8' });
  });
});

describe('the setup', () => {
  it('is run once, and again after a reset to the state after the creation', async () => {
    const computer = await create({ setup: 'exit 0', files: [{ path: 'x', content: '' }] });
    expect(computer.status).toBe('running');
    expect(setups()).toBe(1);
    await test.fleet.computers.restart(record());
    await test.fleet.snapshots.create(record(), { name: 'clean', memory: false });
    await test.fleet.computers.reset(record(), 'clean');
    expect(setups()).toBe(1);
    await test.fleet.computers.reset(record(), undefined);
    expect(setups()).toBe(2);
  });

  it('that fails leaves a computer that says why, and can be started to look', async () => {
    exit.setup = 100;
    const reason = 'The setup failed with exit code 100: E: no such package';
    expect(await create({ setup: 'x' })).toMatchObject({ status: 'error', status_reason: reason });
    expect(engine.machines.get(record().id)?.status).toBe('stopped');
    expect(await test.fleet.computers.start(record())).toMatchObject({ status: 'running' });
    expect(setups()).toBe(1);
  });

  it('can be read while it runs, when the computer takes no commands yet', async () => {
    const { passed, open } = gate();
    ended = passed;
    const creating = create({ setup: 'x' });
    await expect.poll(setups).toBe(1);
    const read = (shell: Shell) => shell.jobs.get('setup', { offset: 0, limit: 100 });
    expect(await test.fleet.actions.jobs(record(), read)).toMatchObject({ output: OUTPUT });
    expect(record().status).toBe('starting');
    open();
    expect((await creating).status).toBe('running');
  });

  it('is not run if a file cannot be written', async () => {
    exit.script = 1;
    const computer = await create({ files: [{ path: '/etc/x', content: '' }], setup: 'x' });
    const status_reason = 'A file could not be written: /etc/x: Permission denied';
    expect(computer).toMatchObject({ status: 'error', status_reason });
    expect(setups()).toBe(0);
  });

  it('is waited for again by the next service', async () => {
    await create({ setup: 'x' });
    test.store.setups.setNext(record().id, 'script');
    test.store.computers.change(record().id, 'restart');
    test = await test.restart();
    await expect.poll(() => record().status).toBe('running');
    expect(test.store.setups.find(record().id)).toBeUndefined();
  });
});

it('a computer whose desktop does not take the variables is not created', async () => {
  exit.script = 1;
  await expect(create({ env: { PATH: '/nowhere' } })).rejects.toThrow('could not be configured');
  expect(test.fleet.computers.list(test.fleet.projects.find(owner, 'demo'))).toEqual([]);
});

it('only a computer without sudo asks for a machine without it', async () => {
  await create({ sudo: false });
  await create({ name: 'other' });
  const of = (name: string) => engine.machines.get(record(name).id)?.spec.sudo;
  expect([of('desk'), of('other')]).toEqual([false, true]);
});
