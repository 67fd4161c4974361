import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../../support/eventually.js';
import { openTestService, type TestService } from '../../../../support/service/service.js';

const VC = new URL('../../../../../bin/vc.js', import.meta.url).pathname;

/** Provides state, port and a profile with a key; a background service replaces it. */
let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(async () => {
  await service.cli(['service', 'stop', '--force']);
  await service.close();
});

const vc = (...words: string[]) => service.cli(words);
const status = async () => JSON.parse((await vc('service', 'status', '--json')).stdout);

it('vc service shows, logs, restarts and stops a service; its computers keep running', async () => {
  expect(await status()).toMatchObject({
    ...{ status: 'running', pid: service.pid, url: service.baseUrl, in_background: false },
  });
  expect((await vc('service', 'restart')).code).toBe(6);
  await vc('project', 'create', 'p');
  await vc('computer', 'create', 'p/desk');
  expect((await vc('service', 'stop')).stderr).toContain(
    `stopped the service, process ${service.pid}`,
  );
  expect((await status()).status).toBe('stopped');

  const listen = new URL(service.baseUrl).host;
  const flags = ['--listen', listen, '--max-running', '7', '--metrics'];
  const started = JSON.parse((await vc('serve', '--detach', ...flags, '--json')).stdout);
  const first = await status();
  expect(first).toMatchObject({
    ...{ status: 'running', pid: started.pid, url: service.baseUrl, health: 'ok' },
    ...{ in_background: true, log: started.log },
    engines: [{ name: 'docker', usable: true, detail: expect.stringMatching(/./) }],
  });
  expect(first.version).toMatch(/^\d+\.\d+\.\d+/);

  const follower = spawn(process.execPath, [VC, 'service', 'logs', '-f', '-n', '0'], {
    env: service.env,
  });
  const lines: { msg?: string; route?: string }[] = [];
  createInterface(follower.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  const logged = (route: string) =>
    eventually(async () => {
      await vc('whoami');
      return lines.some((line) => line.route === route);
    }, 30_000);
  await logged('/api/me');

  const again = await vc('service', 'restart');
  expect(again.code, again.stderr).toBe(0);
  const second = await status();
  expect(second.pid).not.toBe(first.pid);
  expect(second.options).toEqual(first.options);
  expect((await vc('whoami')).stdout).toContain('1 of 7 running');
  expect((await vc('computer', 'bash', 'p/desk', 'echo here')).stdout).toBe('here\n');

  lines.length = 0;
  await logged('/api/me');
  follower.kill('SIGINT');
  expect(await once(follower, 'exit')).toEqual([0, null]);

  process.kill(second.pid, 'SIGSTOP');
  const frozen = await vc('service', 'status');
  expect(frozen.code).toBe(7);
  expect(frozen.stdout).toContain('status\tnot answering\n');
  const startedAt = performance.now();
  const list = await vc('ls');
  expect(list.code).toBe(7);
  expect(list.stderr).toMatch(
    new RegExp(`^error: process ${second.pid} listens on ${listen} but does not answer\n.*restart`),
  );
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  const third = await vc('service', 'restart');
  expect(third.code, third.stderr).toBe(0);
  expect((await vc('computer', 'bash', 'p/desk', 'echo here')).stdout).toBe('here\n');

  expect((await vc('service', 'stop', '--force')).code).toBe(0);
  const off = await vc('service', 'status', '-q');
  expect(off).toMatchObject({ code: 7, stdout: '' });

  // A killed service is started again with its options.
  expect((await vc('service', 'restart')).code).toBe(0);
  expect((await status()).options).toEqual(first.options);
}, 300_000);
