// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { engineChoice } from '../../../src/cli/input/engine-choice.js';
import { untilStopped } from '../../../src/cli/serve/foreground.js';
import {
  isLoopback,
  localBaseUrl,
  parseListen,
  parseNetwork,
} from '../../../src/cli/serve/listen.js';
import { type ServePlan, serveArguments } from '../../../src/cli/serve/options.js';
import { stateOfProcess } from '../../../src/cli/service/listener.js';
import { writeServiceRecord } from '../../../src/cli/service/record.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { promise } from '../../support/run/promise.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test('--listen takes HOST:PORT, or a port for loopback', () => {
  expect(parseListen('127.0.0.1:4700')).toEqual({ host: '127.0.0.1', port: 4700 });
  expect(parseListen('[::1]:80')).toEqual({ host: '::1', port: 80 });
  expect(parseListen('4800')).toEqual({ host: '127.0.0.1', port: 4800 });
  for (const wrong of ['', 'host', ':80', '::1:80', '[nope]:1', '1.2.3.4:70000', 'a b:1', 'x:-1']) {
    expect(() => parseListen(wrong), wrong).toThrow('must be HOST:PORT');
  }
});

test('loopback addresses are recognized', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
    expect(isLoopback(host)).toBe(true);
  }
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'vc.example.com', '127.example.com']) {
    expect(isLoopback(host)).toBe(false);
  }
  expect(localBaseUrl({ host: '0.0.0.0', port: 1 })).toBe('http://127.0.0.1:1/api');
  expect(localBaseUrl({ host: '::', port: 1 })).toBe('http://[::1]:1/api');
});

test('networks are CIDRs', () => {
  expect(parseNetwork('10.0.0.0/8')).toBe('10.0.0.0/8');
  expect(parseNetwork('fd00::/8')).toBe('fd00::/8');
  for (const wrong of ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'x/8', '10.0.0.0/8/8', '1.1.1.1/']) {
    expect(() => parseNetwork(wrong), wrong).toThrow('must be a network');
  }
});

promise(5, 'other hosts can connect only with --expose', async () => {
  const { code, stderr } = await world.run(['serve', '--listen', '0.0.0.0:4700']);
  expect(code).toBe(2);
  expect(stderr).toContain('can be reached from other machines');
  expect(stderr).toContain('--expose');
});

test.each([
  ['--listen', 'nonsense'],
  ['--engine', 'dcoker'],
  ['--max-running', '0'],
  ['--spares', '-1'],
  ['--allow-network', '10.0.0.0'],
  ['--allow-host', 'a:80'],
  ['--preview-domain', '*.example.com'],
  ['--preview-domain', 'preview.example.com:443'],
  ['--preview-domain', '192.0.2.1'],
  ['--preview-domain', `${'a'.repeat(64)}.example.com`],
  ['--log-level', 'loud'],
])('serve %s %s is a usage error', async (...flags) => {
  expect((await world.run(['serve', ...flags])).code).toBe(2);
});

test('VC_LISTEN sets the address; the error for a wrong one names the variable', async () => {
  const exposed = await world.run(['serve'], { env: { VC_LISTEN: '0.0.0.0:4800' } });
  expect(exposed.stderr).toContain('0.0.0.0:4800 can be reached');
  const wrong = await world.run(['serve'], { env: { VC_LISTEN: 'nonsense' } });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('VC_LISTEN: must be HOST:PORT');
});

test('VC_ENGINE sets the engine; --engine overrides it', () => {
  expect(engineChoice(undefined, {})).toBe('auto');
  expect(engineChoice(undefined, { VC_ENGINE: 'qemu' })).toBe('qemu');
  expect(engineChoice('docker', { VC_ENGINE: 'qemu' })).toBe('docker');
  expect(() => engineChoice(undefined, { VC_ENGINE: 'quemu' })).toThrow('VC_ENGINE: must be');
});

describe('--detach at the address of a running service', () => {
  let state: string;
  beforeEach(async () => {
    world.service.on('GET /health', { status: 'ok', version: '1.2.3', engines: [] });
    state = join(world.directory, 'state');
    await mkdir(state);
  });
  const detach = (...more: string[]) => {
    const listen = new URL(world.service.baseUrl).host;
    return world.run(['serve', '--detach', '--listen', listen, ...more], {
      env: { VC_STATE_DIR: state },
    });
  };
  /** Makes this process, which has the fake service, the service of a state directory. */
  const record = async () =>
    writeServiceRecord(state, {
      process: (await identifyProcess(process.pid)) ?? null,
      ...{ version: '1.2.3', url: world.service.baseUrl, started_at: '2025-01-02T02:04:05.000Z' },
      ...{ log: null, argv: ['serve', '--listen'], environment: {} },
    });

  test('does not start a second service of the same state directory', async () => {
    await record();
    const { code, stderr } = await detach();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^already running on .*\nto open its web page: vc dashboard\n$/,
      ),
    });
    expect(JSON.parse((await detach('--json')).stdout)).toMatchObject({
      ...{ already_running: true, unused_options: [] },
    });
  });

  test('says which of its options the running service does not have', async () => {
    await record();
    const { code, stderr } = await detach('--max-running', '7', '--metrics', '--log-level', 'info');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^already running on .*\nit was started without --max-running 7 --metrics; to start it with that:\n {2}vc service stop, then this again\n/,
      ),
    });
    const { stdout } = await detach('--engine', 'qemu', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ unused_options: ['--engine qemu'] });
  });

  test('is refused if it is the service of another state directory', async () => {
    await record();
    const { code, stdout, stderr } = await detach('--state', join(world.directory, 'other'));
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    const { host, port } = new URL(world.service.baseUrl);
    const whose = process.platform === 'linux' ? `: process ${process.pid}` : '';
    expect(stderr).toContain(`error: another service listens on ${host}${whose}\n`);
    expect(stderr).toContain(`vc serve --detach --listen 127.0.0.1:${Number(port) + 1}\n`);
    const json = await detach('--state', join(world.directory, 'other'), '--json');
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'conflict' } });
  });

  test('is refused if nothing is known of the service', async () => {
    expect(await detach()).toMatchObject({
      ...{ code: 6, stdout: '' },
      stderr: expect.stringContaining('to use it: vc login; to start one beside it: vc serve'),
    });
  });
});

test.runIf(process.platform === 'linux')(
  'the state of a service is read from its process',
  async () => {
    const started = async (argv: string[], env: NodeJS.ProcessEnv) => {
      const script = 'console.log("up"); setInterval(() => {}, 1000)';
      const child = spawn(process.execPath, ['-e', script, '--', ...argv], { env });
      await once(child.stdout, 'data');
      const state = await stateOfProcess(child.pid ?? 0);
      child.kill('SIGKILL');
      return state;
    };
    expect(await started(['serve', '--state', '/srv/a b'], {})).toBe('/srv/a b');
    expect(await started(['serve', '--state=/srv/vc'], {})).toBe('/srv/vc');
    expect(await started(['serve'], { HOME: '/home/ann' })).toBe('/home/ann/.local/state/vc');
    expect(await started(['serve'], { HOME: '/home/ann', VC_STATE_DIR: '/srv/x' })).toBe('/srv/x');
    expect(await started(['proxy', '--state', '/srv/vc'], {})).toBeUndefined();
  },
);

test('the arguments of a detached service reproduce its plan', () => {
  const plan: ServePlan = {
    listen: { host: '::', port: 4700 },
    exposed: true,
    engine: 'docker',
    stateDirectory: '/var/lib/vc',
    maxRunning: 5,
    maxStorage: 80,
    engineOptions: { 'no-sudo': true, spares: 3 },
    allowNetworks: ['10.0.0.0/8', '192.168.0.0/16'],
    internet: false,
    allowPrivateTargets: true,
    metrics: true,
    allowedHosts: ['vc.example.com'],
    allowedOrigins: ['https://app.example.com'],
    previewDomain: 'preview.example.com',
    logLevel: 'warn',
  };
  expect(serveArguments(plan).join(' ')).toBe(
    'serve --listen [::]:4700 --expose --engine docker --state /var/lib/vc --max-running 5 ' +
      '--max-storage 80 --no-sudo --spares 3 --log-level warn --no-internet --metrics --allow-private-targets ' +
      '--allow-network 10.0.0.0/8 ' +
      '--allow-network 192.168.0.0/16 --allow-host vc.example.com --allow-origin https://app.example.com ' +
      '--preview-domain preview.example.com',
  );
});

test('a signal repeated at once counts once; a later one ends the process', async () => {
  const interrupts = new Interrupts();
  let again = 0;
  const asked = untilStopped(interrupts, () => {
    again += 1;
  });
  interrupts.trigger('SIGTERM');
  interrupts.trigger('SIGTERM');
  await asked;
  expect(again).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 350));
  interrupts.trigger('SIGTERM');
  expect(again).toBe(1);
  expect(interrupts.signal.aborted).toBe(false);
});
