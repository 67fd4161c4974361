import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MachineNetwork, planNetwork } from '../../../src/engines/qemu/network/plan.js';
import { probeNetwork } from '../../../src/engines/qemu/network/probe.js';
import { prepareDirectory } from '../../../src/engines/qemu/process/account.js';
import {
  readProcessRecord,
  waitForExit,
} from '../../../src/engines/qemu/process/process-record.js';
import {
  type SpawnedProcess,
  type SpawnRequest,
  spawnProcess,
} from '../../../src/engines/qemu/process/spawn.js';
import { currentBootId, processIs, signalProcess } from '../../../src/lib/process/identity.js';
import { compileModules } from '../../support/cli/bundle.js';
import { TinyGuest } from '../../support/qemu/tiny-guest.js';
import { describeUnless, itUnless } from '../../support/run/needs.js';
import { promise } from '../../support/run/promise.js';

const isRoot = process.getuid?.() === 0;
const probe = await probeNetwork();
const noNetwork = probe.usable ? undefined : `${probe.reason} (${probe.remedy})`;
const notRoot = isRoot ? undefined : 'needs root';

let parent: string;
let network: MachineNetwork;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'vc-process-'));
  network = await planNetwork(probe, { internet: true, allowNetworks: [] });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** Starts another program in the place of a machine's QEMU. */
async function start(
  name: string,
  script: string,
  more: Partial<SpawnRequest> = {},
): Promise<{ directory: string; spawned: SpawnedProcess }> {
  const directory = join(parent, name);
  const account = await prepareDirectory(directory);
  const spawned = await spawnProcess({
    ...{ directory, account, network, program: 'sh', args: ['-c', script] },
    ...{ acceleration: 'tcg', ...more },
  });
  return { directory, spawned };
}

/** Ids of all processes of a machine: they share a session. */
async function sessionOf(pid: number): Promise<number[]> {
  const session = await field(pid, 3);
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (/^\d+$/.test(entry) && (await field(Number(entry), 3)) === session)
      found.push(Number(entry));
  }
  return found;
}

/** A number of /proc/PID/stat, counted from the field after the name; -1 without the process. */
async function field(pid: number, index: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[index] || -1);
}

/** The processes that still run, without zombies. */
async function alive(pids: readonly number[]): Promise<number[]> {
  const texts = pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z'));
  const exited = (await Promise.all(texts)).map((text) => /\) [ZX]/.test(text));
  return pids.filter((_, index) => !exited[index]);
}

async function listening(): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')),
  );
  return tables
    .flatMap((table) => table.split('\n'))
    .filter((line) => line.trim().split(/\s+/)[3] === '0A')
    .map((line) => line.trim().split(/\s+/)[1] ?? '');
}

describeUnless(noNetwork)("a machine's QEMU", () => {
  let guest: TinyGuest;
  let before: string[];
  beforeAll(async () => {
    before = await listening();
    guest = await TinyGuest.boot('hardened', network);
  });
  afterAll(() => guest?.end());

  promise(2, 'is the recorded process, with exactly the promised hardening', async () => {
    const { pid, uid } = guest.spawned.identity;
    expect(await readlink(`/proc/${pid}/exe`)).toMatch(/qemu-system-x86_64$/);
    expect(uid).toBe(guest.account.uid);
    for (const task of await readdir(`/proc/${pid}/task`)) {
      const status = await readFile(`/proc/${pid}/task/${task}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'));
      for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
        expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
      }
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      expect(status).toMatch(/^Umask:\s+0077$/m);
    }
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size\s+0\s+0 /m);
    for (const kind of ['net', 'pid', 'user', 'mnt']) {
      const there = await readlink(`/proc/${pid}/ns/${kind}`);
      expect(there, kind).not.toBe(await readlink(`/proc/self/ns/${kind}`));
    }
  });

  promise.unless(notRoot)(2, 'has its own user and group, and no other group', async () => {
    const { pid, uid } = guest.spawned.identity;
    expect(uid).toBeGreaterThanOrEqual(2_100_000_000);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Gid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'));
    expect(status).toMatch(/^Groups:\s*$/m);
    const others = (await sessionOf(pid)).map(
      async (other) => /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${other}/status`, 'utf8'))?.[1],
    );
    expect(new Set(await Promise.all(others))).toEqual(new Set([String(uid)]));
  });

  promise(2, 'inherits nothing of the service, and owns its sockets', async () => {
    const { pid } = guest.spawned.identity;
    const names = await readdir(`/proc/${pid}/fd`);
    const open = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`)));
    for (const path of open.filter((name) => name.startsWith('/'))) {
      expect(path).toMatch(/^\/dev\/|^\/proc\/|\/machine\/|\(deleted\)$/);
    }
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    const variables = environment.split('\0').map((variable) => variable.replace(/=.*/, ''));
    expect(variables.filter((name) => name !== 'PWD')).toEqual(['PATH', 'LC_ALL', '']);
    for (const name of ['console.sock', 'ssh.sock']) {
      expect((await stat(join(guest.directory, name))).mode & 0o777, name).toBe(
        name === 'console.sock' ? 0o700 : 0o600,
      );
    }
  });

  promise(2, 'listens on no port of the host', async () => {
    const { pid } = guest.spawned.identity;
    const added = (await listening()).filter((address) => !before.includes(address));
    const sockets = await execa('ss', ['-tlnpH']).catch(() => ({ stdout: '' }));
    for (const other of await sessionOf(pid)) expect(sockets.stdout).not.toContain(`pid=${other},`);
    expect(added.filter((address) => address.endsWith(':08AE'))).toEqual([]);
  });

  it('leaves nothing when the guest powers itself off', async () => {
    const off = await TinyGuest.boot('off', network);
    try {
      const processes = await sessionOf(off.spawned.identity.pid);
      expect(processes.length).toBeGreaterThan(3);
      off.console.write('poweroff -f\n');
      expect(await off.spawned.exited).toEqual({ kind: 'exited', status: 0 });
      expect(await alive(processes)).toEqual([]);
      const mounts = await readFile('/proc/self/mounts', 'utf8');
      expect(mounts).not.toMatch(/ (\/dev\/net|\S*resolv\.conf|\S*vc-guest\S*) /);
    } finally {
      await off.end();
    }
  });
});

describeUnless(noNetwork)('no process of a machine is left', () => {
  it('when QEMU is killed', async () => {
    const { directory, spawned } = await start('killed', 'exec sleep 100');
    const processes = await sessionOf(spawned.identity.pid);
    expect(await signalProcess(spawned.identity, 'SIGKILL')).toBe(true);
    expect(await spawned.exited).toEqual({ kind: 'killed', signal: 9 });
    expect(await alive(processes)).toEqual([]);
    expect(await readProcessRecord(directory)).toEqual({
      identity: spawned.identity,
      exited: { kind: 'killed', signal: 9 },
    });
    expect(await signalProcess(spawned.identity, 'SIGKILL')).toBe(false);
  });

  it("when QEMU's supervisor is killed", async () => {
    const { directory, spawned } = await start('orphan', 'exec sleep 100');
    const processes = await sessionOf(spawned.identity.pid);
    process.kill(await field(spawned.identity.pid, 1), 'SIGKILL');
    expect(await spawned.exited).toEqual({ kind: 'unknown' });
    expect(await waitForExit(directory, spawned.identity)).toEqual({ kind: 'unknown' });
    expect(await alive(processes)).toEqual([]);
  });

  it('when QEMU refuses its arguments; its output is kept', async () => {
    const { spawned } = await start('refused', '', {
      program: 'qemu-system-x86_64',
      args: ['-machine', 'nonsense'],
    });
    expect(await spawned.exited).toEqual({ kind: 'exited', status: 1 });
    expect(await spawned.lastLogLines()).toContain('unsupported machine type');
  });

  it('when the start fails before QEMU, or is aborted', async () => {
    const broken = { ...network, rules: 'nonsense' };
    await expect(start('broken', 'true', { network: broken })).rejects.toThrow(/syntax error/);
    const controller = new AbortController();
    const starting = start('aborted', 'sleep 100', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('not any more')), 20);
    await expect(starting).rejects.toThrow('not any more');
    const { spawned } = await start('aborted', 'true');
    expect(await spawned.exited).toEqual({ kind: 'exited', status: 0 });
  });
});

describeUnless(noNetwork)('a machine', () => {
  it('survives the service that started it, and is found by the next', async () => {
    const directory = join(parent, 'outlives');
    const script = `
      const [, spawn, accounts, directory, network] = process.argv;
      const { spawnProcess } = await import(spawn);
      const { prepareDirectory } = await import(accounts);
      const account = await prepareDirectory(directory);
      await spawnProcess({ directory, account, network: JSON.parse(network), program: 'sleep',
        args: ['100'], acceleration: 'tcg' });
      process.kill(process.pid, 'SIGKILL');`;
    const modules = await compileModules(join(parent, 'modules'), {
      spawn: 'engines/qemu/process/spawn.ts',
      account: 'engines/qemu/process/account.ts',
    });
    const args = ['--input-type=module', '-e', script, modules.spawn, modules.account, directory];
    const service = spawn(process.execPath, [...args, JSON.stringify(network)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(service, 'exit')).toEqual([null, 'SIGKILL']);
    const identity = (await readProcessRecord(directory))?.identity;
    if (identity === undefined) throw new Error('it left no record');
    expect(await processIs(identity)).toBe(true);
    const processes = await sessionOf(identity.pid);
    await signalProcess(identity, 'SIGTERM');
    expect(await waitForExit(directory, identity)).toEqual({ kind: 'killed', signal: 15 });
    await expect.poll(() => alive(processes)).toEqual([]);
  });

  it('cannot be started twice', async () => {
    const { spawned } = await start('twice', 'exec sleep 100');
    await expect(start('twice', 'exec sleep 100')).rejects.toThrow(/already running/);
    expect(await processIs(spawned.identity)).toBe(true);
    await signalProcess(spawned.identity, 'SIGKILL');
    await spawned.exited;
  });

  // Checks descriptors of one digit; those inherited from the test process are higher.
  it('inherits exactly the given files', async () => {
    const path = join(parent, 'stream');
    await writeFile(path, 'a saved state');
    const file = await open(path);
    const script = 'cat <&3; echo; for fd in /proc/self/fd/?; do readlink $fd; done; true';
    const { directory, spawned } = await start('inherits', `exec >out; ${script}`, {
      inherit: file.fd,
    });
    await file.close();
    expect(await spawned.exited).toEqual({ kind: 'exited', status: 0 });
    const [output, ...files] = (await readFile(join(directory, 'out'), 'utf8')).trim().split('\n');
    expect(output).toBe('a saved state');
    const foreign = files.filter(
      (name) => !/^\/dev\/null|\/out$|\.log|\/stream$|^\/proc/.test(name),
    );
    expect(foreign).toEqual([]);
  });

  promise(20, 'a QEMU that prints endlessly fills no disk', async (report) => {
    const { directory, spawned } = await start('talks', 'head -c 9000000 /dev/zero >&2; exit 3');
    expect(await spawned.exited).toEqual({ kind: 'exited', status: 3 });
    const { size } = await stat(join(directory, 'qemu.log'));
    expect(size).toBeGreaterThan(1_000_000);
    expect(size).toBeLessThan(1_100_000);
    report(`${(size / 1e6).toFixed(1)} MB of 9 kept`);
  });

  itUnless(notRoot)("cannot redirect the service's writes or replace its files", async () => {
    const { directory, spawned } = await start(
      'evil',
      'rm -f process qemu.log uid resolv.conf; mv process gone; ln -s /etc/hostname note; exit 0',
    );
    expect(await spawned.exited).toEqual({ kind: 'exited', status: 0 });
    expect((await readdir(directory)).sort()).toEqual([
      ...['note', 'process', 'qemu.log', 'resolv.conf', 'uid'],
    ]);
    await rm(join(directory, 'resolv.conf'));
    await start('evil', 'exit 0').then(({ spawned: again }) => again.exited);
    await rm(join(directory, 'process'));
    const planted = await start('evil', 'rm -f x; exec sleep 0');
    await planted.spawned.exited;
    expect((await stat(join(directory, 'process'))).uid).toBe(0);
  });
});

describe('a reused process id', () => {
  it('is never signalled', async () => {
    const bystander = spawn('sleep', ['100']);
    try {
      const pid = bystander.pid ?? 0;
      const bootId = await currentBootId();
      const startTime = await field(pid, 19);
      const uid = process.getuid?.() ?? 0;
      const identity = { pid, startTime, bootId, uid };
      for (const other of [
        { ...identity, startTime: startTime - 1 },
        { ...identity, bootId: 'another start of the host' },
        { ...identity, uid: uid + 1 },
      ]) {
        expect(await signalProcess(other, 'SIGKILL')).toBe(false);
      }
      expect(await processIs(identity)).toBe(true);
      expect(await signalProcess(identity, 'SIGKILL')).toBe(true);
      await once(bystander, 'exit');
      expect(await processIs(identity)).toBe(false);
    } finally {
      bystander.kill('SIGKILL');
    }
  });
});
