import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { ComputerHandle } from '../../../src/client/index.js';
import { server, serverEnvironment } from '../../support/incus/server.js';
import { leaveOut, thorough } from '../../support/run/tiers.js';
import { makeCrashing } from '../../support/service/crash-points.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const project = 'volumes';

/** Where the engine has the files of volumes, below the state directory; a cluster has them elsewhere. */
const FOLDER = { docker: 'volumes', podman: 'volumes', qemu: 'qemu/volumes', incus: undefined }[
  inject('engine')
];
/** Docker and Podman mount what the service has mounted. */
const isMountedByService = FOLDER === 'volumes';

/** Why the cluster of the tests cannot mount volumes. */
const noVolumes =
  inject('engine') === 'incus' &&
  inject('noCluster') === '' &&
  server.name === 'lxd' &&
  lxdVersion() < 5.1 &&
  linux() >= 6.08
    ? 'LXD 5.0 finds no idmapped mounts on Linux 6.8 or later; with Incus: VC_TEST_CLUSTER=incus'
    : undefined;

let service: TestService;
/** The first computer of its image. */
let hiding: ComputerHandle;
let one: ComputerHandle;
let two: ComputerHandle;

/** What a command has printed, which must succeed. */
async function run(computer: ComputerHandle, command: string): Promise<string> {
  const { stdout, stderr, exit_code } = await computer.bash(command);
  expect({ command, exit_code, stderr }).toMatchObject({ exit_code: 0 });
  return stdout.trim();
}

const create = (name: string, volume: string) =>
  service.vc.computers.create(project, { name, volumes: [volume] });

beforeEach(({ skip, task }) => {
  if (noVolumes === undefined) return;
  Object.assign(task.meta, { skipReason: noVolumes });
  skip();
});

beforeAll(async () => {
  if (noVolumes !== undefined) return;
  service = await openTestService(['--max-running', '20'], { mountsOf: inject('dockerPid') });
  await service.vc.projects.create(project);
  expect((await service.cli(['volume', 'create', 'data'])).code).toBe(0);
  await service.vc.client.request('createVolume', { body: { name: 'local' } });
  hiding = await create('hiding', 'local:/home/user/.local');
  [one, two] = await Promise.all([create('one', 'data:/data'), create('two', 'data:/data')]);
});

afterAll(async () => {
  if (service === undefined) return;
  // Deeper than rm() of Node.js can follow.
  if (FOLDER !== undefined) await execa('rm', ['-rf', join(service.directory, 'state', FOLDER)]);
  await service.close();
});

test('the files of a volume have the right owner in each computer', async () => {
  expect(await run(one, 'stat -c "%U:%G %a" /data')).toBe('user:user 755');
  await run(one, 'mkdir /data/dir && echo from one >/data/dir/file && chmod 750 /data/dir/file');
  expect(await run(two, 'stat -c "%U:%G %a" /data/dir/file && cat /data/dir/file')).toBe(
    'user:user 750\nfrom one',
  );
  await run(two, 'echo from two >>/data/dir/file');
  expect(await run(one, 'cat /data/dir/file')).toBe('from one\nfrom two');
  await run(one, 'printf "#!/bin/sh\\necho runs\\n" >/data/program && chmod +x /data/program');
  expect(await run(two, '/data/program')).toBe('runs');
});

test("root's files are root's in each computer, and programs get no rights of their owner", async () => {
  await run(one, 'sudo sh -c "echo secret >/data/of-root && chmod 600 /data/of-root"');
  expect(await run(two, 'stat -c %U:%G /data/of-root; cat /data/of-root 2>&1 || true')).toMatch(
    /^root:root\ncat: .*Permission denied$/,
  );
  expect(await run(two, 'sudo cat /data/of-root')).toBe('secret');
  await run(one, 'sudo cp /usr/bin/id /data/id && sudo chmod u+s /data/id');
  expect(await run(two, '/data/id -u')).not.toBe('0');
  await run(one, 'sudo rm /data/of-root /data/id');
});

test('a volume below the home directory hides files of the image from its computer only', async () => {
  const bin = 'stat -c %U ~/.local/bin 2>/dev/null || echo none';
  expect(await run(hiding, `stat -c %U ~/.local; ${bin}`)).toBe('user\nnone');
  const plain = await service.vc.computers.create(project, { name: 'plain' });
  expect(await run(plain, bin)).toBe('user');
  await Promise.all([hiding.delete(), plain.delete()]);
});

test('a read-only volume cannot be written, also by root', async () => {
  const reader = await create('reader', 'data:/data:ro');
  expect((await reader.get()).volumes).toEqual([{ name: 'data', path: '/data', read_only: true }]);
  expect(await run(reader, 'cat /data/dir/file')).toContain('from one');
  expect(await run(reader, 'touch /data/x 2>&1; sudo touch /data/x 2>&1; true')).toMatch(
    /Read-only.*\n.*Read-only/,
  );
  expect(
    await run(reader, 'sudo mount -o remount,rw /data 2>&1; touch /data/x 2>&1; true'),
  ).toMatch(/Read-only file system$/);
  await reader.delete();
});

test('it is there after a stop, after the service was killed, and after a reset', async () => {
  await one.stop();
  await one.start();
  expect(await run(one, 'cat /data/dir/file')).toContain('from two');
  await service.kill('SIGKILL');
  await service.start();
  expect(await run(one, 'echo again >/data/again; stat -c %U /data/again')).toBe('user');
  expect(await run(two, 'cat /data/again')).toBe('again');
  await run(one, 'echo lost >~/lost');
  await one.reset();
  expect(await run(one, 'ls ~/lost 2>/dev/null; cat /data/again')).toBe('again');
});

(isMountedByService ? test : leaveOut)(
  'a computer does not start without its volume, and nothing is written elsewhere',
  async () => {
    await one.stop();
    const { id } = await one.get();
    const mounts = join(service.directory, 'state', 'volume-mounts', id);
    const inMounts = (...argv: string[]) => {
      const pid = inject('dockerPid') || inject('podman').pid;
      return execa('nsenter', ['-t', `${pid}`, '-m', ...argv]);
    };
    // As after a reboot.
    for (const name of readdirSync(mounts)) await inMounts('umount', join(mounts, name));
    const started = await startOutside(id);
    expect(started.exitCode).toBeGreaterThan(0);
    expect((await inMounts('find', mounts, '-mindepth', '2')).stdout).toBe('');
    await one.start();
    expect(await run(one, 'cat /data/again')).toBe('again');
  },
);

test('a fork has the volumes, and snapshots do not contain them', async () => {
  await service.vc.client.request('createSnapshot', {
    params: { id: (await one.get()).id },
    body: { name: 's' },
  });
  await run(one, 'echo later >/data/later');
  const [copy] = await one.fork(['copy'], { snapshot: 's' });
  if (copy === undefined) throw new Error('there is no copy');
  expect(await run(copy, 'stat -c %U /data/later && cat /data/later')).toBe('user\nlater');
  await run(copy, 'echo copy >/data/of-copy');
  expect(await run(one, 'cat /data/of-copy')).toBe('copy');
  await copy.delete();
  expect(await run(one, 'cat /data/of-copy')).toBe('copy');
});

(isMountedByService ? thorough : leaveOut)(
  'a service that is killed while it makes a volume or a computer leaves both whole or gone',
  async () => {
    const crashing = await makeCrashing(service);
    const names = async () => (await service.vc.volumes.list()).map(({ name }) => name);
    const makeHalf = () => service.vc.volumes.create('half');
    expect(await crashing.crashAt(/rmdir .*trial: begins/, makeHalf)).toBe(true);
    expect(await names()).not.toContain('half');
    await service.vc.volumes.create('half');
    expect(
      await crashing.crashAt(/rename .*vol_.*: done/, () => service.vc.volumes.delete('half')),
    ).toBe(true);
    expect(await names()).not.toContain('half');
    const directories = () => readdirSync(join(service.directory, 'state', 'volumes'));
    const others = (await names()).length;
    await expect.poll(() => directories().length, { timeout: 30_000 }).toBe(others);
    for (const [at, point] of [
      /mkdir .*files: done/,
      /containers\/create: answered/,
      /start: sent/,
    ].entries()) {
      expect(await crashing.crashAt(point, () => create(`killed-${at}`, 'data:/data'))).toBe(true);
      const computer = service.vc.computer({ project, name: `killed-${at}` });
      await computer.start();
      await run(computer, `echo ${at} >/data/killed-${at}`);
      expect(await run(one, `cat /data/killed-${at}`)).toBe(`${at}`);
      await computer.delete();
    }
  },
);

test('links and deep directories of a guest lead the service nowhere, and a volume in use stays', async () => {
  await run(
    two,
    'ln -s /etc /data/link; ln -s / /data/root; sudo mknod /data/sda b 8 0 2>/dev/null; true',
  );
  await run(two, 'mkfifo /data/fifo');
  // One process: 500 take minutes in an emulated guest.
  const deep = 'import os; [(os.mkdir("d" * 15), os.chdir("d" * 15)) for _ in range(500)]';
  await run(two, `cd /data && python3 -c '${deep}'`);
  const refused = await service.http('DELETE', '/volumes/data');
  expect(refused.status).toBe(400);
  expect(refused.json.error).toMatch(
    /^The volume "data" is mounted by volumes\/one, volumes\/two\.$/,
  );
  await service.http('GET', '/volumes');
  const measured = async () => (await service.http('GET', '/usage')).json.now.storage_bytes;
  await expect.poll(measured).toBeGreaterThan(4096);
  expect((await service.cli(['volume', 'ls'])).stdout).toMatch(/^data\t/m);
  await Promise.all([one.delete(), two.delete()]);
  const state = join(service.directory, 'state');
  if (isMountedByService) expect(readdirSync(join(state, 'volume-mounts'))).toEqual([]);
  await service.vc.volumes.delete('local');
  expect((await service.cli(['volume', 'rm', 'data', '--yes'])).stderr).toContain(
    'removed volume data',
  );
  if (FOLDER !== undefined) expect(readdirSync(join(state, FOLDER))).toEqual([]);
  expect(readdirSync('/etc')).toContain('passwd');
});

/** Starts a container without the service, as a user of the engine might. */
function startOutside(id: string) {
  const container = `vc-${id}`;
  if (inject('engine') === 'docker') {
    const env = { DOCKER_HOST: inject('dockerHost') };
    return execa('docker', ['start', container], { env, reject: false });
  }
  return execa('podman', ['start', container], { env: inject('podman').env, reject: false });
}

function lxdVersion(): number {
  const env = serverEnvironment();
  return Number.parseFloat(execFileSync(server.daemon, ['--version'], { encoding: 'utf8', env }));
}

/** 6.08 for Linux 6.8.1. */
function linux(): number {
  const [major = 0, minor = 0] = release().split(/[.-]/).map(Number);
  return major + minor / 100;
}
