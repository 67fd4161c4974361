import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planNetwork } from '../../../src/engines/qemu/network/plan.js';
import { probeNetwork } from '../../../src/engines/qemu/network/probe.js';
import { prepareDirectory } from '../../../src/engines/qemu/process/account.js';
import { spawnProcess } from '../../../src/engines/qemu/process/spawn.js';
import {
  findVolumeServer,
  type ServedVolumes,
} from '../../../src/engines/qemu/process/volume-server.js';
import { USER_IDS } from '../../../src/engines/user-ids.js';
import { VolumeDirectories } from '../../../src/engines/volumes/directories.js';
import { TinyGuest } from '../../support/qemu/tiny-guest.js';
import { mountSmallDisk, type SmallDisk } from '../../support/service/small-disk.js';

const { first, end } = USER_IDS.volumes;
const USER = first + 1000;
const network = await planNetwork(await probeNetwork(), { internet: true, allowNetworks: [] });

let root: string;
let disk: SmallDisk;
let data: string;
let served: ServedVolumes;
/** Guests of which the test is root: `one` only reads the volume `fixed`. */
let one: TinyGuest;
let two: TinyGuest;
let sessions: number[];

/** Processes of those sessions whose user is one of the volumes. */
function servers(sessions: readonly number[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(statusOf(pid))?.[1]);
      return uid >= first && uid < end && sessions.includes(sessionOf(pid));
    });
}

/** All processes of a machine have the same one. */
function sessionOf(pid: number): number {
  return Number(/^NSsid:\s+(\d+)/m.exec(statusOf(pid))?.[1]);
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'vc-volumes-'));
  const directories = new VolumeDirectories(join(root, 'volumes'));
  for (const id of ['data', 'fixed', 'foreign']) await directories.create(id, USER);
  data = directories.files('data');
  disk = await mountSmallDisk(16);
  await execa('mount', ['--bind', disk.path, data]);
  await execa('chmod', ['755', data]);
  await chown(data, USER, USER);
  served = {
    server: (await findVolumeServer()) ?? 'no virtiofsd',
    volumes: [
      { id: 'data', files: data, readOnly: false },
      { id: 'fixed', files: directories.files('fixed'), readOnly: true },
    ],
  };
  [one, two] = await Promise.all([
    TinyGuest.boot('one', network, served),
    TinyGuest.boot('two', network, served),
  ]);
  sessions = [one, two].map(({ spawned }) => sessionOf(spawned.identity.pid));
  for (const guest of [one, two]) await guest.run('mkdir /v; mount -t virtiofs vc-volumes /v');
});

afterAll(async () => {
  await one?.end();
  await two?.end();
  await execa('umount', ['--lazy', data], { reject: false });
  await disk?.close();
  rmSync(root, { recursive: true });
});

test('guests share a volume, with the owners that they gave', async () => {
  expect(await one.run('stat -c %u:%g:%a /v/data')).toBe('1000:1000:755');
  await one.run('echo from one >/v/data/file; chown 33:1000 /v/data/file; chmod 640 /v/data/file');
  expect(await two.run('stat -c %u:%g:%a /v/data/file; cat /v/data/file')).toBe(
    '33:1000:640\nfrom one',
  );
  await two.run('echo from two >>/v/data/file');
  expect(await one.run('cat /v/data/file')).toBe('from one\nfrom two');
  const { uid, gid } = lstatSync(join(data, 'file'));
  expect([uid, gid]).toEqual([first + 33, USER]);
});

test('root of a guest sees its volumes only, and cannot write to one that it reads', async () => {
  expect(await one.run('ls -1A /v; ls -1A /v/..')).toMatch(/^data\nfixed\n(?!.*foreign)/);
  expect(await one.run('touch /v/x; mkdir /v/x')).toMatch(/denied\n.*denied$/);
  expect(await one.run('touch /v/fixed/x; mv /v/data /v/moved; rmdir /v/fixed')).toMatch(
    /Read-only.*\n.*\n.*/,
  );
  expect(await one.run('ls -1 /v')).toBe('data\nfixed');
});

test('links, device files and set-uid programs of a guest give it nothing on the host', async () => {
  await one.run('ln -s /etc/shadow /v/data/link; ln -s ../../../../../.. /v/data/up');
  expect(lstatSync(join(data, 'link')).isSymbolicLink()).toBe(true);
  expect(await one.run('ls /v/data/up')).toBe(await one.run('ls /'));
  expect(await one.run('mknod /v/data/sda b 8 0; mknod /v/data/null c 1 3')).toMatch(
    /not permitted\n.*not permitted/,
  );
  await one.run('cp /bin/busybox /v/data/root && chmod 6755 /v/data/root');
  const { uid, gid, mode } = lstatSync(join(data, 'root'));
  expect([uid, gid, mode & 0o7777]).toEqual([first, first, 0o6755]);
  expect(await one.run('chown 65536 /v/data/root')).toMatch(/Invalid argument/);
});

test('what serves the volumes has no rights on the host, and sees nothing but them', async () => {
  const found = servers(sessions);
  expect(found.length).toBeGreaterThan(1);
  for (const pid of found) {
    const status = statusOf(pid);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
    const map = readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim().split(/\s+/).map(Number);
    expect(map).toEqual([0, first, end - first]);
  }
  const sandboxed = found.filter((pid) => /^Seccomp:\s+2$/m.test(statusOf(pid)));
  expect(sandboxed.length).toBeGreaterThan(1);
  for (const pid of sandboxed) {
    const { stdout } = await execa('ls', ['-A', `/proc/${pid}/root/`]);
    expect(stdout).toBe('data\nfixed');
  }
});

test('a full volume is an error in the guest, which goes on', async () => {
  expect(await one.run('dd if=/dev/zero of=/v/data/fill bs=64k')).toMatch(/No space left/);
  expect(await two.run('rm /v/data/fill && echo more >/v/data/more && cat /v/data/more')).toBe(
    'more',
  );
});

test('no process is left of a machine that ended, or that QEMU did not start for', async () => {
  await one.end();
  await two.end();
  await expect.poll(() => servers(sessions), { timeout: 30_000 }).toEqual([]);
  const directory = join(root, 'machine');
  const account = await prepareDirectory(directory);
  const spawned = await spawnProcess({
    ...{ directory, account, network, acceleration: 'tcg', volumes: served },
    ...{ program: 'sleep', args: ['5'] },
  });
  const session = [sessionOf(spawned.identity.pid)];
  await expect.poll(() => servers(session).length, { timeout: 30_000 }).toBeGreaterThan(0);
  await spawned.exited;
  await expect.poll(() => servers(session), { timeout: 30_000 }).toEqual([]);
});
