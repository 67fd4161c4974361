import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComputerHandle } from '../../../src/client/index.js';
import { USER_IDS } from '../../../src/engines/user-ids.js';
import { openTestService, type TestService } from '../../support/service/service.js';
import { mountSmallDisk, type SmallDisk } from '../../support/service/small-disk.js';

const { first, end } = USER_IDS.volumes;
const project = 'hostile';

let service: TestService;
let disk: SmallDisk;
let computer: ComputerHandle;
/** The directories of the files of its two volumes, the second of which it only reads. */
let data: string;
let fixed: string;

const root = async (command: string) => {
  const { stdout, stderr } = await computer.bash(`sudo bash -c ${JSON.stringify(command)} 2>&1`);
  return `${stdout}${stderr}`.trim();
};

/** Processes of this host whose user is one of the volumes. */
function servers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(statusOf(pid))?.[1]);
      return uid >= first && uid < end;
    });
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

beforeAll(async () => {
  disk = await mountSmallDisk(24);
  service = await openTestService();
  await service.vc.projects.create(project);
  const folder = join(service.directory, 'state', 'qemu', 'volumes');
  const volume = async (name: string) => {
    const before = new Set(readOrNone(folder));
    await service.vc.volumes.create(name);
    const id = readdirSync(folder).find((each) => !before.has(each));
    return join(folder, id ?? '', 'files');
  };
  data = await volume('data');
  fixed = await volume('fixed');
  await execa('mount', ['--bind', disk.path, data]);
  await execa('chown', [`${first + 1000}:${first + 1000}`, data]);
  await execa('chmod', ['755', data]);
  computer = await service.vc.computers.create(project, {
    ...{ name: 'evil', volumes: ['data:/data', 'fixed:/home/user/fixed:ro'] },
  });
});

afterAll(async () => {
  await computer?.delete();
  if (data !== undefined) await execa('umount', ['--lazy', data], { reject: false });
  await service?.close();
  await disk?.close();
});

function readOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

test('root of a guest sees its volumes only, and cannot write to one that it may read', async () => {
  expect(await root('stat -c %U:%a /data ~user/fixed | xargs')).toBe('user:755 user:755');
  await root('mkdir -p /mnt/all && mount -t virtiofs vc-volumes /mnt/all');
  const ids = [data, fixed].map((path) => path.split('/').at(-2)).sort();
  expect((await root('ls -A /mnt/all /mnt/all/..')).split(/\s+/)).toEqual(
    expect.arrayContaining(ids as string[]),
  );
  expect(await root('ls -A /mnt/all')).toBe(ids.join('\n'));
  expect(await root('touch /mnt/all/x; mkdir /mnt/all/x')).toMatch(/denied.*\n.*denied$/);
  expect(await root(`touch /mnt/all/${fixed.split('/').at(-2)}/x`)).toMatch(/Read-only/);
  expect(await root(`mv /mnt/all/${data.split('/').at(-2)} /mnt/all/moved`)).not.toBe('');
  await root('umount /mnt/all');
});

test('links, device files and set-uid programs of a guest give it nothing on the host', async () => {
  await root('ln -s /etc/shadow /data/link; ln -s ../../../../../.. /data/up');
  expect(lstatSync(join(data, 'link')).isSymbolicLink()).toBe(true);
  expect(await root('grep -c vc-unlikely /data/link')).toBe('0');
  expect(await root('mknod /data/sda b 8 0; mknod /data/null c 1 3')).toMatch(
    /not permitted\n.*not permitted/,
  );
  await root('cp /usr/bin/id /data/id && chmod 6755 /data/id');
  const { uid, gid, mode } = lstatSync(join(data, 'id'));
  expect([uid, gid, mode & 0o7777]).toEqual([first, first, 0o6755]);
  expect((await computer.bash('/data/id -u')).stdout).toBe('1000\n');
  expect(await root('chown 65536 /data/id')).not.toBe('');
  expect(readdirSync(data).sort()).toEqual(['id', 'link', 'lost+found', 'up']);
});

test('what serves its volumes has no rights on the host, and sees nothing but them', async () => {
  const found = servers();
  expect(found.length).toBeGreaterThan(0);
  for (const pid of found) {
    const status = statusOf(pid);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(
      new RegExp(`^Uid:\\s+${first}\\s+${first}\\s+${first}\\s+${first}$`, 'm'),
    );
    const map = readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim().split(/\s+/).map(Number);
    expect(map).toEqual([0, first, end - first]);
  }
  const last = found.at(-1) ?? 0;
  expect(statusOf(last)).toMatch(/^Seccomp:\s+2$/m);
  const { stdout } = await execa('ls', ['-A', `/proc/${last}/root/`]);
  expect(stdout.split('\n').sort()).toEqual(readdirSync(join(data, '..', '..')).sort());
});

test('a full volume is an error in the computer, which goes on', async () => {
  expect(await root('dd if=/dev/zero of=/data/fill bs=64k')).toMatch(/No space left on device/);
  expect(await root('rm /data/fill && echo more >/data/more && cat /data/more')).toBe('more');
});

test('a guest that restarts has its volumes again, and a stop leaves no process', async () => {
  const before = await root('cat /proc/sys/kernel/random/boot_id');
  await root('reboot');
  const again = async () => {
    const { stdout } = await computer.bash('cat /proc/sys/kernel/random/boot_id /data/more');
    return stdout.includes(before) ? '' : stdout;
  };
  await expect.poll(() => again().catch(() => ''), { timeout: 240_000 }).toMatch(/\nmore\n$/);
  await computer.stop();
  await expect.poll(servers).toEqual([]);
});

test('a snapshot has no memory, and one that must have it is refused', async () => {
  await computer.start();
  const params = { id: (await computer.get()).id };
  const make = (body: object) => service.http('POST', `/computers/${params.id}/snapshots`, body);
  expect((await make({ name: 'disk' })).json).toMatchObject({ name: 'disk', memory: false });
  const refused = await make({ name: 'memory', memory: true });
  expect(refused.json.error).toBe('QEMU cannot save the memory of a computer with volumes.');
  expect(await root('cat /data/more')).toBe('more');
});
