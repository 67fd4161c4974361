// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Runs a program that sees the storage of the tests. */
async function inside(...command: string[]): Promise<string> {
  const [program = '', ...args] = [...prefix, ...command];
  return (await execa(program, args, { env })).stdout;
}

const podman = (...args: string[]) => inside('podman', '--cgroup-manager', 'cgroupfs', ...args);

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

async function killPodman(): Promise<void> {
  const { stdout } = await execa('pgrep', ['--parent', `${desktop.service.pid}`, 'podman']);
  process.kill(Number(stdout.trim().split('\n')[0]), 'SIGKILL');
}

it('the API service of Podman is started again when it was ended', async () => {
  await killPodman();
  await eventually(async () => (await bash('echo again')).stdout === 'again\n', 60_000);
});

it('a container that was removed by hand is an error of its computer', async () => {
  await podman('rm', '--force', '--time', '0', `vc-${desktop.id}`);
  const computer = async () => (await desktop.service.http('GET', `/computers/${desktop.id}`)).json;
  // The reconciler would find it within 30 s.
  await eventually(async () => (await computer()).status === 'error', 15_000);
  expect((await computer()).status_reason).toMatch(/disk|gone|no longer/i);
});

/** Removes the record of a container's files, with Podman's lock: the file, and the container's id. */
const FORGET = `import fcntl, json, os, sys
path, id = sys.argv[1:]
with open(path.replace('.json', '.lock'), 'r+b') as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    found = json.load(open(path))
    with open(path + '.new', 'w') as new:
        json.dump([one for one in found if one['id'] != id], new)
    os.rename(path + '.new', path)
    # Makes others read the file again.
    lock.write(os.urandom(64))
`;

it('a removal in which Podman was killed is completed', async () => {
  const { http } = desktop.service;
  const { json } = await http('POST', '/projects/e2e/computers', { name: 'interrupted' });
  await http('POST', `/computers/${json.id}/stop`);
  const id = await podman('inspect', '--format', '{{.Id}}', `vc-${json.id}`);
  const root = await podman('info', '--format', '{{.Store.GraphRoot}}');
  // The files go first. Podman then refuses to list any containers.
  await inside('python3', '-c', FORGET, `${root}/overlay-containers/containers.json`, id);
  expect((await http('POST', `/computers/${json.id}/start`)).status).not.toBe(200);
  expect(await podman('ps', '--all', '--quiet', '--no-trunc')).not.toContain(id);
  expect((await http('DELETE', `/computers/${json.id}`)).status).toBe(200);
  const next = await http('POST', '/projects/e2e/computers', { name: 'interrupted' });
  expect(next.json.status).toBe('running');
  await http('DELETE', `/computers/${next.json.id}`);
});

it('stays in reach while a computer is deleted', async () => {
  const { http, log } = desktop.service;
  const { json } = await http('POST', '/projects/e2e/computers', { name: 'short' });
  const before = log().length;
  expect((await http('DELETE', `/computers/${json.id}`)).status).toBe(200);
  // The events of its end are followed by a look at it.
  await sleep(1_000);
  expect(log().slice(before)).not.toContain('engine is away');
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
