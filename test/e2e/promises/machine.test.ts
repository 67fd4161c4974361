import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { WebSocket } from 'ws';
import { hardeningArguments } from '../../../src/engines/qemu/process/command.js';
import { hostNameOf } from '../../../src/lib/text/host-name.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const engine = inject('engine');
/** Unique per run: both engines' runs of this file inspect the same host's processes. */
const CANARY = `canary${randomBytes(4).toString('hex')}`;
/** Harmful if it is interpreted as anything but a name. */
const NAME = `../../${CANARY},id=x '; touch ~/${CANARY}; $(touch ${CANARY}) "%2f--rm`;
const isRoot = process.getuid?.() === 0;

let service: TestService;
let id: string;
let C: string;
beforeAll(async () => {
  // The service must set the modes of its files itself.
  const umask = process.umask(0);
  const flags = ['--log-level', 'trace', '--allow-private-targets'];
  service = await openTestService(flags);
  process.umask(umask);
  await service.vc.projects.create('guarded');
  const created = await service.http('POST', '/projects/guarded/computers', { name: NAME });
  expect(created.status, JSON.stringify(created.json)).toBe(200);
  id = created.json.id;
  C = `/computers/${id}`;
  // An emulated machine may take longer to boot than a creation waits.
  await eventually(async () => (await service.http('GET', C)).json.status === 'running', 600_000);
});
afterAll(() => service.close());

const state = () => join(service.directory, 'state');
const bash = async (command: string, more: object = {}) =>
  (await service.http('POST', `${C}/bash`, { command, ...more })).json;

interface Process {
  readonly pid: number;
  readonly words: string[];
  readonly text: string;
}

/** Every process of this host, with its command line and its environment. */
function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
        return [{ pid: Number(pid), words: line.split('\0'), text: `${line}\0${environment}` }];
      } catch {
        return [];
      }
    });
}

/** The machine's process on the host. */
function qemu(): Process {
  const found = processes().find(({ pid, words }) => {
    if (!words[0]?.includes('qemu-system')) return false;
    return readlinkSync(`/proc/${pid}/cwd`).endsWith(id);
  });
  if (found === undefined) throw new Error('no QEMU runs in the directory of the machine');
  return found;
}

/** What the engine reports about the machine: inspection, logs and open files. */
async function inspection(): Promise<string> {
  if (engine === 'qemu') {
    const { pid, words } = qemu();
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    return [...words, ...files].join('\n');
  }
  if (engine === 'podman') {
    const podman = async (...argv: string[]) =>
      (await execa('podman', [...argv, `vc-${id}`], { env: inject('podman').env, all: true })).all;
    return [
      await podman('inspect'),
      await podman('logs'),
      await podman('network', 'inspect'),
    ].join();
  }
  const docker = new Docker({ socketPath: inject('dockerHost').replace('unix://', '') });
  const container = docker.getContainer(`vc-${id}`);
  const logs = await container.logs({ stdout: true, stderr: true });
  const network = await docker.getNetwork(`vc-${id}`).inspect();
  return JSON.stringify([await container.inspect(), network]) + logs.toString('latin1');
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** All paths in a directory, and `.` for itself. */
function below(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true }) as string[];
  return ['.', ...entries];
}

promise.runIf(engine === 'qemu')(
  2,
  "QEMU's process has exactly the promised hardening",
  async (report) => {
    const { pid, words } = qemu();
    expect(words.slice(1, 1 + hardeningArguments.length)).toEqual([
      ...['-no-user-config', '-nodefaults', '-sandbox'],
      'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
    ]);
    const outside = /tcp|telnet|udp|hostfwd|guestfwd|smb=|tftp|^-(gdb|s|monitor|fsdev|virtfs|usb)$/;
    expect(words.filter((word) => outside.test(word))).toEqual([]);
    for (const path of words.join(' ').match(/(?<![\w/])\/[\w/.-]+/g) ?? []) {
      expect(path).toMatch(/^\/(dev\/urandom|usr\/(bin\/qemu-system-|share\/OVMF\/))/);
    }
    const { json } = await service.http('GET', C);
    expect(json.isolation).toBe(words.some((word) => word.startsWith('kvm')) ? 'vm' : 'emulated');

    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    }
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    if (isRoot) expect(status).toMatch(/^Uid:(\s+2\d{9}){4}$/m);

    // It listens on no TCP port in its network namespace, which is not the host's.
    for (const table of ['tcp', 'tcp6']) {
      const lines = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1);
      expect(lines.filter((line) => line.trim().split(/\s+/)[3] === '0A')).toEqual([]);
    }
    expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));

    const directory = join(state(), 'qemu', 'machines', id);
    // If the service runs as root, the machine has its own user and group.
    const { mode, gid } = lstatSync(directory);
    expect(mode & 0o7777).toBe(isRoot ? 0o1770 : 0o700);
    if (isRoot) expect(status).toMatch(new RegExp(`^Gid:(\\s+${gid}){4}$`, 'm'));
    const sockets = readdirSync(directory).filter((name) => name.endsWith('.sock'));
    for (const name of sockets) {
      expect(lstatSync(join(directory, name)).mode & 0o077, name).toBe(0);
    }
    expect(sockets.length).toBeGreaterThan(2);
    report(`${words.length} arguments, no capability, no TCP port, ${sockets.length} sockets`);
  },
);

promise(7, 'a hostile name reaches no engine, file or argument', async (report) => {
  const { json } = await service.http(
    'GET',
    `/projects/guarded/computers/${encodeURIComponent(NAME)}`,
  );
  expect(json).toMatchObject({ id, name: NAME, status: 'running' });
  // All that an engine gets of a name is a valid host name.
  const hostName = hostNameOf(NAME);
  expect(hostName).toMatch(/^[a-z0-9-]+$/);
  const isElsewhere = (text: string) => text.replaceAll(hostName, '').includes(CANARY);
  expect(await inspection()).not.toSatisfy(isElsewhere);
  expect(processes().filter(({ text }) => isElsewhere(text))).toEqual([]);
  const files = below(service.directory);
  expect(files.filter((name) => name.includes(CANARY))).toEqual([]);
  report(`${files.length} files looked at`);
});

promise(7, 'paths, variables and ids are never run as commands', async (report) => {
  const evil = [
    `'; touch ${CANARY}; '`,
    `$(touch ${CANARY})`,
    `\`touch ${CANARY}\``,
    `"; touch ${CANARY}; "`,
    `-e touch\t${CANARY}`,
    `x\ntouch ${CANARY}\n`,
  ];
  let sent = 0;
  for (const text of evil) {
    const path = encodeURIComponent(text);
    await bash('true', { cwd: text });
    expect((await bash('printf %s "$X"', { env: { X: text } })).stdout).toBe(text);
    const written = await fetch(`${service.baseUrl}${C}/files?path=${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.apiKey}` },
      body: text,
    });
    expect([200, 400], text).toContain(written.status);
    await service.http('GET', `${C}/entry?path=${path}`);
    await service.http('GET', `${C}/directory?path=${path}`);
    await service.http('POST', `${C}/directory`, { path: `d-${text}` });
    await service.http('POST', `${C}/link`, { path: `l-${text}`, target: text });
    expect((await service.http('GET', `${C}/jobs/${path}`)).status).toBe(404);
    expect((await service.http('POST', `${C}/jobs/${path}/end`)).status).toBe(404);
    sent += 9;
  }
  const { stdout } = await bash(`find / -xdev -name '${CANARY}' 2>/dev/null; ls ~`);
  expect(stdout).toContain(`$(touch ${CANARY})`);
  expect(stdout.split('\n').filter((line: string) => line.endsWith(`/${CANARY}`))).toEqual([]);
  report(`${sent} texts in paths, variables and ids`);
});

/** Secrets that are unique on this host. */
const secret = (what: string) => `${what}${randomBytes(12).toString('hex')}`;
const secrets = {
  typed: secret('typed'),
  command: secret('command'),
  variable: secret('variable'),
  code: secret('code'),
  input: secret('input'),
  batch: secret('batch'),
  streamKey: secret('stream'),
  streamUrl: secret('live'),
  body: secret('body'),
};

promise(
  10,
  'keys, typed text, code and stream keys appear nowhere',
  async (report) => {
    const { vc } = service;
    const second = await service.http('POST', '/keys', { name: 'canary' });
    const view = await service.http('POST', `${C}/view`, {});
    const all: Record<string, string> = {
      ...secrets,
      firstKey: service.apiKey,
      secondKey: second.json.key,
      ticket: String(view.json.url).split('#')[1] ?? '',
    };
    const errors: string[] = [];
    const send = async (method: string, path: string, body?: object) => {
      const { status, json } = await service.http(method, path, body);
      if (status !== 200) errors.push(JSON.stringify(json));
      return json;
    };
    await send('POST', `${C}/type`, { text: secrets.typed });
    await send('POST', `${C}/type`, { text: `${secrets.typed}ü`, delay_ms: 'x' });
    // Long-running commands, which are in the process list when it is read.
    const lasting = Promise.all([
      bash(`: ${secrets.command}; sleep 6`, { env: { SECRET: secrets.variable } }),
      send('POST', `${C}/exec`, { code: `x = '${secrets.code}'\nimport time\ntime.sleep(6)` }),
    ]);
    await send('POST', `${C}/batch`, {
      actions: [
        { action: 'bash', command: `: ${secrets.batch}` },
        { action: 'exec', code: `'${secrets.batch}'` },
      ],
    });
    await send('POST', `${C}/exec`, { code: `raise Exception('${secrets.code}')`, timeout: 'x' });
    await send('POST', `${C}/bash`, { command: `: ${secrets.command}`, timeout: -1 });
    await typeInto(`: ${secrets.input}\n`);
    // A target without a listener, an invalid one, and a stored connection with a key.
    const url = `rtmp://127.0.0.1:9/app/${secrets.streamUrl}`;
    await send('POST', `${C}/stream/start`, { url });
    await send('POST', `${C}/stream/start`, { url: `http://127.0.0.1/${secrets.streamUrl}` });
    const connection = { name: 'live', url: 'rtmp://127.0.0.1:9/app' };
    await send('POST', '/connections', { ...connection, stream_key: secrets.streamKey });
    await send('POST', `${C}/stream/start`, { connection_name: 'live' });
    await send('GET', '/connections');
    errors.push(...(await wrongKeys(all)));
    const cut = `{"text": "${secrets.body}`;
    const headers = {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
    };
    const broken = await fetch(`${service.baseUrl}${C}/type`, {
      method: 'POST',
      headers,
      body: cut,
    });
    expect(broken.status).toBe(400);
    errors.push(await broken.text());

    const seen: Record<string, string> = {
      'the answers to errors': errors.join('\n'),
      'the audit log': JSON.stringify(await send('GET', `${C}/actions?limit=1000`)),
      'the list of keys': JSON.stringify(await vc.keys.list()),
      "the engine's inspection": await inspection(),
      'the processes': processes()
        .map(({ text }) => text)
        .join('\n'),
    };
    await lasting;
    Object.assign(seen, { 'the log': service.log() });
    for (const path of filesOf(state())) seen[path] = readFileSync(path, 'latin1');
    expect(errors.length).toBeGreaterThan(8);
    for (const [what, text] of Object.entries(all)) {
      for (const [where, found] of Object.entries(seen)) {
        expect(found.includes(text), `${what} appears in ${where}`).toBe(false);
      }
    }
    report(`${Object.keys(all).length} secrets, ${Object.keys(seen).length} places`);
  },
  240_000,
);

/** Sends a text to the standard input of a shell in the computer. */
async function typeInto(text: string): Promise<void> {
  const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}${C}/process`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('open', () => {
    socket.send(JSON.stringify({ argv: ['sh'] }));
    socket.send(Buffer.concat([Buffer.of(0), Buffer.from(text)]));
    socket.send(JSON.stringify({ type: 'stdin_end' }));
  });
  socket.on('error', () => undefined);
  await closed;
}

/** Requests with keys in wrong places, and with keys that are nearly correct. */
async function wrongKeys(all: Record<string, string>): Promise<string[]> {
  const tries = [service.apiKey, all.secondKey, all.ticket].flatMap((key) => [
    fetch(`${service.baseUrl}/projects?key=${key}`),
    fetch(`${service.baseUrl}/projects/${key}`, { headers: { authorization: `Basic ${key}` } }),
    fetch(`${service.baseUrl}/me`, { headers: { authorization: `Bearer ${key}x` } }),
  ]);
  return Promise.all(tries.map(async (answer) => (await answer).text()));
}

/** The service's files, without the disks and memory of guests. */
function filesOf(directory: string): string[] {
  return below(directory)
    .filter(
      (name) =>
        !/^qemu\/(images|templates)\/|((image|disk-\w+)\.qcow2|kernel|initrd|memory)$/.test(name),
    )
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
}

/** The lowest group id of machines. */
const FIRST_MACHINE_GROUP = 2_100_000_000;

/**
 * Files with wider modes in a directory that only the service can enter: images and templates,
 * which the machines' users read; lock files; files that a guest creates in its socket directory.
 */
const IN_PRIVATE_DIRECTORY =
  /^qemu\/(images|templates)\/|^machines\/\w|\/(image\.qcow2|disk-\w+\.qcow2|kernel|initrd|resolv\.conf)$/;

promise(10, 'the state is private for any umask', async (report) => {
  const entries = below(state());
  const open = entries.filter((name) => {
    if (IN_PRIVATE_DIRECTORY.test(name)) return false;
    const stat = lstatSync(join(state(), name), { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return false;
    // The group of a machine's directory has no other member than the machine.
    const denied = stat.gid >= FIRST_MACHINE_GROUP ? 0o007 : 0o077;
    return (stat.mode & denied) !== 0;
  });
  expect(open).toEqual([]);
  const privateDirectories =
    engine === 'qemu' ? ['qemu', 'qemu/images', 'qemu/templates'] : ['machines'];
  for (const name of ['.', ...privateDirectories]) {
    expect(lstatSync(join(state(), name)).mode & 0o777, name).toBe(0o700);
  }
  report(`${entries.length} files, directories and sockets`);
});
