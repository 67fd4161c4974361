// @module-tag slow
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { thorough } from '../../support/run/tiers.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

const { prefix, env } = inject('podman');

/** Podman's command line, on the storage of the tests. */
async function podman(...args: string[]): Promise<string> {
  const [program = '', ...rest] = [...prefix, 'podman', '--cgroup-manager', 'cgroupfs', ...args];
  return (await execa(program, rest, { env })).stdout;
}

const bash = async (command: string) => {
  const { http } = desktop.service;
  return (await http('POST', `/computers/${desktop.id}/bash`, { command, timeout: 60 })).json;
};
const isRunning = async () =>
  (await desktop.service.http('GET', `/computers/${desktop.id}`)).json.status === 'running';

promise(26, 'root in a computer is nobody on the host', async (report) => {
  const { stdout } = await bash('sudo cat /proc/self/uid_map; sudo id -u');
  const [, first, count] = /^\s*0\s+(\d+)\s+(\d+)\n0$/.exec(stdout.trim()) ?? [];
  expect(Number(first)).toBeGreaterThanOrEqual(1_000_000_000);
  expect(count).toBe('65536');
  report(`ids ${first} and up`);
});

it('computers run on while the service and its Podman do not', async () => {
  await bash('nohup sleep 600 >/dev/null 2>&1 & echo $! >/tmp/pid');
  await desktop.service.kill('SIGKILL');
  await desktop.service.start();
  await eventually(isRunning);
  expect((await bash('kill -0 $(cat /tmp/pid) && echo alive')).stdout).toBe('alive\n');
});

it('the API service of Podman is started again when it was ended', async () => {
  const { stdout } = await execa('pgrep', ['--parent', `${desktop.service.pid}`, 'podman']);
  process.kill(Number(stdout.trim().split('\n')[0]), 'SIGKILL');
  await eventually(async () => (await bash('echo again')).stdout === 'again\n', 60_000);
});

it('a container that was removed by hand is an error of its computer', async () => {
  await podman('rm', '--force', '--time', '0', `vc-${desktop.id}`);
  const computer = async () => (await desktop.service.http('GET', `/computers/${desktop.id}`)).json;
  // The reconciler would find it within 30 s.
  await eventually(async () => (await computer()).status === 'error', 15_000);
  expect((await computer()).status_reason).toMatch(/disk|gone|no longer/i);
});

thorough('a warm machine becomes a computer, with its name', async () => {
  const own = await openOwnDesktop(['--spares', '1']);
  try {
    const isReady = () => podman('ps', '--quiet', '--filter', 'status=paused');
    await eventually(async () => (await isReady()) !== '', 120_000);
    const { json } = await own.service.http('POST', '/projects/e2e/computers', { name: 'second' });
    expect(json.status).toBe('running');
    expect(own.service.log()).not.toContain('A warm machine');
    const command = 'hostname; sudo -n true 2>&1';
    const path = `/computers/${json.id}/bash`;
    expect((await own.service.http('POST', path, { command })).json.stdout).toBe('second\n');
    expect(await isReady()).toBe('');
  } finally {
    await own.close();
  }
});
