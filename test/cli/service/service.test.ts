// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readServiceRecord,
  type ServiceRecord,
  writeServiceRecord,
} from '../../../src/cli/service/record.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { openWorld, type RunOptions, type World } from '../support/run.js';

let world: World;
let state: string;
let child: ChildProcess;
beforeEach(async () => {
  world = await openWorld();
  state = join(world.directory, 'state');
  await mkdir(state);
  child = await started('sleep', '600');
});
afterEach(async () => {
  child.kill('SIGKILL');
  await world.close();
});

/** A process in the place of the service. */
async function started(program: string, ...args: string[]): Promise<ChildProcess> {
  const process = spawn(program, args, { stdio: 'ignore' });
  await once(process, 'spawn');
  return process;
}

const vc = (words: string, options: RunOptions = {}) =>
  world.run(['service', ...words.split(' ')], {
    ...options,
    env: { VC_STATE_DIR: state, NO_COLOR: '1', ...options.env },
  });

/** Leaves the record of a service whose process is `child`. */
async function record(changes: Partial<ServiceRecord> = {}): Promise<ServiceRecord> {
  const written: ServiceRecord = {
    process: (await identifyProcess(child.pid ?? 0)) ?? null,
    version: '1.2.3',
    url: world.service.baseUrl,
    started_at: '2025-01-02T02:04:05.000Z',
    log: join(state, 'serve.log'),
    argv: ['serve', '--listen', '127.0.0.1:4700', '--max-running', '7'],
    environment: {},
    ...changes,
  };
  await writeServiceRecord(state, written);
  return written;
}

const isAlive = () => child.exitCode === null && child.signalCode === null;
const health = {
  ...{ status: 'ok', version: '1.2.3', store: { usable: true, detail: '9 MB free' } },
  engines: [
    { name: 'docker', usable: true, detail: 'Docker 27' },
    { name: 'qemu', usable: false, detail: 'no image' },
  ],
};

test('the record is private and is read as it was written', async () => {
  const written = await record();
  const writtenBy = process.geteuid?.();
  expect(await readServiceRecord(state)).toEqual({ ...written, writtenBy });
  expect((await stat(join(state, 'service.json'))).mode & 0o777).toBe(0o600);
});

describe.runIf(process.geteuid?.() === 0)("another user's record, read by root", () => {
  const OTHER = 54_321;
  /** It names a process of root. */
  beforeEach(async () => {
    await record();
    await chown(join(state, 'service.json'), OTHER, OTHER);
  });

  test('stops no process of root', async () => {
    const { stderr } = await vc('stop');
    expect(stderr).toBe('the service does not run\n');
    await vc('stop --force');
    expect(isAlive()).toBe(true);
  });

  test('starts nothing', async () => {
    const { code, stderr } = await vc('restart');
    expect(code).toBe(4);
    expect(stderr).toContain('belongs to another user');
    expect(stderr).toContain(`run this as its user, whose id is ${OTHER}`);
    expect(isAlive()).toBe(true);
  });
});

test('a record with another command than serve is damaged', async () => {
  const written = await record();
  const argv = ['owner', 'rm', 'somebody', '--force'];
  await writeFile(join(state, 'service.json'), JSON.stringify({ ...written, argv }));
  expect((await vc('restart')).stderr).toContain('it is damaged');
});

describe('status', () => {
  test('shows process, address, version, health, engines and uptime', async () => {
    world.service.on('GET /health', health);
    await record();
    const { code, stdout, stderr } = await vc('status', { terminal: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'to open its web page: vc dashboard\n' });
    const shown = new RegExp(
      [
        'status +running',
        `process +${child.pid}`,
        `address +${world.service.baseUrl}`,
        'version +1\\.2\\.3',
        'health +ok',
        'engines +docker: Docker 27',
        ' +qemu: not usable: no image',
        'up since +1 hour ago \\(.*\\)',
        `log +${state}/serve\\.log`,
        `state +${state}`,
      ].join('\\n'),
    );
    expect(stripVTControlCharacters(stdout)).toMatch(shown);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThan(100);
  });

  test('--json has everything, -q the process id', async () => {
    world.service.on('GET /health', health);
    await record();
    const { stdout } = await vc('status --json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ status: 'running', pid: child.pid, version: '1.2.3', health: 'ok' },
      ...{ uptime_seconds: 3600, in_background: true, engines: health.engines },
      port: Number(new URL(world.service.baseUrl).port),
      options: ['--listen', '127.0.0.1:4700', '--max-running', '7'],
    });
    expect((await vc('status -q')).stdout).toBe(`${child.pid}\n`);
  });

  test('the key is sent only to the service that it belongs to', async () => {
    world.service.on('GET /health', health);
    await record();
    await vc('status', { env: { VC_BASE_URL: 'http://127.0.0.1:1/api' } });
    const keys = world.service.received.map(({ headers }) => headers.authorization);
    expect(keys).toEqual([undefined]);
  });

  test('a service that has ended is stopped: 7, with the way to start it', async () => {
    await record();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { code, stdout, stderr } = await vc('status');
    expect(code).toBe(7);
    expect(stdout).toContain('status\tstopped\n');
    expect(stdout).not.toContain('process');
    expect(stderr).toBe('to start it with the same options: vc service restart\n');
    const { pid, health: found } = JSON.parse((await vc('status --json')).stdout);
    expect([pid, found]).toEqual([null, null]);
    expect((await vc('status -q')).stdout).toBe('');
  });

  test('a running service that does not answer: 7', async () => {
    await record({ url: 'http://127.0.0.1:1/api' });
    const { code, stdout, stderr } = await vc('status');
    expect(code).toBe(7);
    expect(stdout).toContain('status\tnot answering\n');
    expect(stderr).toContain('vc service stop --force');
  });
});

describe.each(['status', 'logs', 'stop', 'restart'])('%s', (verb) => {
  test('without a service says how to start one', async () => {
    const { code, stdout, stderr } = await vc(verb);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(/^error: no service has been started .*\n {7}start one: vc serve --det/);
    expect((await vc(`${verb} --state /nonexistent/x`)).code).toBe(7);
  });

  test.each(['not json', '{}', '{"process":{"pid":"1"}}'])(
    'refuses the record %j',
    async (text) => {
      await writeFile(join(state, 'service.json'), text);
      const { code, stderr } = await vc(verb);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: cannot read .*service\.json: it is damaged\n {7}.*\n$/);
    },
  );
});

describe('stop', () => {
  test('ends the process and waits for it', async () => {
    await record();
    const { code, stderr } = await vc('stop');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `stopped the service, process ${child.pid}; computers keep running\n`,
    });
    await eventually(async () => child.signalCode === 'SIGTERM');
    const again = await vc('stop');
    expect(again).toMatchObject({ code: 0, stderr: 'the service does not run\n' });
    expect(JSON.parse((await vc('stop --json')).stdout)).toEqual({ success: true, pid: null });
  });

  test('ends a service in the foreground, too', async () => {
    await record({ log: null });
    expect((await vc('stop')).code).toBe(0);
    await eventually(async () => !isAlive());
  });

  promise(13, 'another process with the id of the service is never signalled', async (report) => {
    const { process } = await record();
    if (process === null) throw new Error('no process');
    const others = [
      { ...process, startTime: process.startTime - 1 },
      { ...process, bootId: 'another boot' },
      { ...process, uid: process.uid + 1 },
    ];
    for (const other of others) {
      await record({ process: other });
      for (const words of ['stop', 'stop --force']) {
        expect(await vc(words)).toMatchObject({ code: 0, stderr: 'the service does not run\n' });
      }
      expect((await vc('status')).stdout).toContain('status\tstopped\n');
      // It is not stopped, and its options cannot be parsed: nothing is started.
      await record({ process: other, argv: ['serve', '--nonsense'] });
      await vc('restart');
    }
    expect(isAlive()).toBe(true);
    report('not by vc service stop or restart');
  });

  test('reports a service that does not end, with --force to kill it', async () => {
    await startStubborn();
    await record();
    // The shell may not have set its trap yet.
    await eventually(async () =>
      /SigIgn:\s*[0-9a-f]*[4-7c-f][0-9a-f]{3}$/m.test(
        await readFile(`/proc/${child.pid}/status`, 'utf8'),
      ),
    );
    const { code, stderr } = await vc('stop --timeout 0.2');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: the service, process ${child.pid}, has not ended after 0.2 s\n       kill it: vc service stop --force\n`,
    );
    const elsewhere = await world.run(['service', 'stop', '--timeout', '0.1s', '--state', state]);
    expect(elsewhere.stderr).toContain(`vc service stop --force --state ${state}\n`);
    expect((await vc('stop --force')).code).toBe(0);
    await eventually(async () => child.signalCode === 'SIGKILL');
  });

  test.each(['--timeout soon', '--timeout 0', '--timeout -1', '--state', 'now', '--forec'])(
    'stop %s is a usage error',
    async (words) => {
      await record();
      expect((await vc(`stop ${words}`)).code).toBe(2);
      expect(isAlive()).toBe(true);
    },
  );
});

/** A child that ignores SIGTERM. */
async function startStubborn(): Promise<void> {
  child.kill('SIGKILL');
  child = await started('sh', '-c', "trap '' TERM; echo; exec sleep 600");
  // The shell may not have set its trap yet.
  await eventually(async () =>
    /SigIgn:\s*[0-9a-f]*[4-7c-f][0-9a-f]{3}$/m.test(
      await readFile(`/proc/${child.pid}/status`, 'utf8'),
    ),
  );
}

test('stop ends a service that was stopped by SIGSTOP', async () => {
  await record();
  child.kill('SIGSTOP');
  expect((await vc('stop --timeout 5s')).code).toBe(0);
  await eventually(async () => child.signalCode === 'SIGTERM');
});

test('restart kills a service that has not ended at the timeout', async () => {
  await startStubborn();
  // Its options cannot be parsed, so that nothing is started.
  await record({ argv: ['serve', '--nonsense'] });
  const { stderr } = await vc('restart --timeout 0.2s');
  await eventually(async () => child.signalCode === 'SIGKILL');
  expect(stderr).toContain('--nonsense');
});

test('restart leaves a service in the foreground alone', async () => {
  await record({ log: null });
  const { code, stderr } = await vc('restart');
  expect(code).toBe(6);
  expect(stderr).toContain('runs in the foreground');
  expect(stderr).toContain('vc service stop && vc service restart');
  expect(isAlive()).toBe(true);
});
