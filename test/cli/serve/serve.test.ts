import { afterEach, beforeEach, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { engineChoice } from '../../../src/cli/input/engine-choice.js';
import {
  isLoopback,
  localBaseUrl,
  parseListen,
  parseNetwork,
} from '../../../src/cli/serve/listen.js';
import { type ServePlan, serveArguments } from '../../../src/cli/serve/options.js';
import { untilStopped } from '../../../src/cli/serve/stop-requests.js';
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

test('--detach does not start a second service', async () => {
  world.service.on('GET /health', { status: 'ok', version: '1.2.3', engines: [] });
  const listen = new URL(world.service.baseUrl).host;
  const outcome = await world.run(['serve', '--detach', '--listen', listen]);
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toContain('already running on');
});

test('the arguments of a detached service reproduce its plan', () => {
  const plan: ServePlan = {
    listen: { host: '::', port: 4700 },
    exposed: true,
    engine: 'docker',
    stateDirectory: '/var/lib/vc',
    maxRunning: 5,
    engineOptions: { 'allow-sudo': true, spares: 3 },
    allowNetworks: ['10.0.0.0/8', '192.168.0.0/16'],
    internet: false,
    allowPrivateRtmp: true,
    metrics: true,
    allowedHosts: ['vc.example.com'],
    allowedOrigins: ['https://app.example.com'],
    logLevel: 'warn',
  };
  expect(serveArguments(plan).join(' ')).toBe(
    'serve --listen [::]:4700 --expose --engine docker --state /var/lib/vc --max-running 5 ' +
      '--allow-sudo --spares 3 --log-level warn --no-internet --metrics --allow-private-rtmp ' +
      '--allow-network 10.0.0.0/8 ' +
      '--allow-network 192.168.0.0/16 --allow-host vc.example.com --allow-origin https://app.example.com',
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
