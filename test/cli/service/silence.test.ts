// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeServiceRecord } from '../../../src/cli/service/record.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { openWorld, type World } from '../support/run.js';

/** Prints its port, and answers every request there and on a unix socket. */
const SERVER = `
  const { createServer } = require('node:http');
  const answer = (request, response) => response.end('{"projects":[]}');
  createServer(answer).listen(process.argv[1], () =>
    createServer(answer).listen(0, '127.0.0.1', function () { console.log(this.address().port); }));
`;

let world: World;
let child: ChildProcess;
let port: number;
beforeEach(async () => {
  world = await openWorld();
  await mkdir(join(world.directory, 'state'));
  const socket = join(world.directory, 'state/service.sock');
  child = spawn(process.execPath, ['-e', SERVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout ?? child, 'data');
  port = Number(line);
});
afterEach(async () => {
  child.kill('SIGKILL');
  await world.close();
});

const url = () => `http://127.0.0.1:${port}/api`;
const vc = (...argv: string[]) =>
  world.run(argv, {
    checkAfterMs: 100,
    env: {
      ...{ VC_BASE_URL: url(), VC_STATE_DIR: join(world.directory, 'state'), NO_COLOR: '1' },
    },
  });

/** Makes the child the service of the default state directory. */
async function record(changes: { log: string | null }): Promise<void> {
  await writeServiceRecord(join(world.directory, 'state'), {
    process: (await identifyProcess(child.pid ?? 0)) ?? null,
    ...{ version: '1.2.3', url: url(), started_at: '2025-01-02T02:04:05.000Z' },
    ...{ argv: ['serve'], environment: {}, ...changes },
  });
}

const isLinux = process.platform === 'linux';
const silent = () => (isLinux ? `process ${child.pid} listens on 127.0.0.1:${port} but` : 'but');

test('a command for a stopped service names its process and the way to restart it', async () => {
  await record({ log: '/tmp/serve.log' });
  child.kill('SIGSTOP');
  expect(await vc('ls')).toMatchObject({
    ...{ code: 7, stdout: '' },
    stderr: `error: ${silent()} does not answer\n       restart it: vc service restart\n`,
  });
  const json = await vc('ls', '--json');
  expect(JSON.parse(json.stderr).error).toMatchObject({
    ...{ code: 'timeout', hint: 'restart it: vc service restart' },
  });
  // Commands that return the exit code of a program return 125.
  expect((await vc('exec', 'p/desk', '--', 'true')).code).toBe(125);
});

test('the remedy depends on how the service was started, and on its state directory', async () => {
  await record({ log: null });
  child.kill('SIGSTOP');
  expect((await vc('ls')).stderr).toContain('start it again where it ran: vc service stop\n');
  const other = await world.run(['ls'], {
    ...{ checkAfterMs: 100, env: { VC_BASE_URL: url(), VC_STATE_DIR: '/nonexistent' } },
  });
  expect(other.stderr).toContain('vc service restart --state DIRECTORY\n');
});

test('vc doctor and vc serve --detach report the same', { timeout: 30_000 }, async () => {
  await record({ log: '/tmp/serve.log' });
  child.kill('SIGSTOP');
  const [doctor, detach, status] = await Promise.all([
    vc('doctor', '--json'),
    vc('serve', '--detach', '--listen', `127.0.0.1:${port}`),
    vc('service', 'status'),
  ]);
  const checks: { name: string }[] = JSON.parse(doctor.stdout).checks;
  expect(checks.find(({ name }) => name === 'service')).toMatchObject({
    ...{ status: 'missing', detail: `${silent()} does not answer` },
    remedy: 'restart it: vc service restart',
  });
  expect(checks.find(({ name }) => name === 'key')).toMatchObject({ status: 'skipped' });
  expect(detach.code).toBe(7);
  expect(detach.stderr).toContain(`${silent()} does not answer`);
  expect(status.code).toBe(7);
  expect(status.stderr).toContain('to restart it: vc service restart');
});
