import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import type { BuiltDisk } from '../../../src/engines/qemu/images/build-disk.js';

export interface Answer {
  readonly id: unknown;
  readonly ok: boolean;
  readonly error?: string;
  readonly [more: string]: unknown;
}

/** A machine with a built image under plain QEMU, and its three ports. */
export interface Vm {
  /** Sends a request to the guest's agent and returns the answer. */
  ask(request: { do: string; [more: string]: unknown }): Promise<Answer>;
  /** Sends a line unchanged and returns the answer. */
  send(line: string): Promise<Answer>;
  /** Connects to a stream, after the guest has noticed the end of the previous connection. */
  dial(stream: 'screen' | 'shell'): Promise<Socket>;
  console(): Promise<string>;
  /** Resolves when the machine has powered off. */
  readonly off: Promise<unknown>;
  close(): Promise<void>;
}

const PORTS = ['screen', 'shell', 'control'] as const;

export async function startVm(image: BuiltDisk, words = ''): Promise<Vm> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-vm-'));
  await execa('qemu-img', [
    ...['create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', image.disk],
    join(directory, 'disk.qcow2'),
  ]);
  const cmdline = (await readFile(image.cmdline, 'utf8')).trim();
  const child = spawn(
    'qemu-system-x86_64',
    [
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-vga', 'none', '-no-reboot'],
      ...['-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '2G'],
      ...['-kernel', image.kernel, '-initrd', image.initrd],
      ...['-append', `console=ttyS0 ${cmdline} ${words}`],
      ...['-drive', 'file=disk.qcow2,if=none,id=disk,format=qcow2,discard=unmap,cache=unsafe'],
      ...['-device', 'virtio-blk-pci,drive=disk', '-device', 'virtio-rng-pci'],
      ...['-netdev', 'user,id=net,restrict=on', '-device', 'virtio-net-pci,netdev=net,romfile='],
      ...['-serial', 'file:console.log', '-device', 'virtio-serial-pci'],
      ...PORTS.flatMap((name) => [
        ...['-chardev', `socket,id=${name},path=${name}.sock,server=on,wait=off`],
        ...['-device', `virtserialport,chardev=${name},name=vc.${name}`],
      ]),
    ],
    { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const off = once(child, 'exit');
  const control = await dialUntilThere(child, join(directory, 'control.sock'));
  const questions = asker(control);
  const ask: Vm['ask'] = (request) => {
    const id = randomBytes(6).toString('hex');
    return questions(JSON.stringify({ id, ...request }), id);
  };
  return {
    ask,
    send: (line) => questions(line, null),
    dial: async (stream) => {
      const { ok, error } = await ask({ do: 'reset', stream });
      if (!ok) throw new Error(error);
      return dialUntilThere(child, join(directory, `${stream}.sock`));
    },
    console: () => readFile(join(directory, 'console.log'), 'utf8').catch(() => ''),
    off,
    close: async () => {
      control.destroy();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await off;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Answers by id; null for a request without one. */
function asker(control: Socket): (line: string, id: string | null) => Promise<Answer> {
  const waiting = new Map<string | null, (answer: Answer) => void>();
  createInterface({ input: control }).on('line', (line) => {
    const answer: Answer = JSON.parse(line);
    waiting.get(answer.id as string | null)?.(answer);
  });
  return (line, id) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      control.write(`${line}\n`);
    });
}

async function dialUntilThere(child: ChildProcess, path: string): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket.on('error', () => undefined);
    } catch (error) {
      if (child.exitCode !== null) throw new Error('QEMU has ended', { cause: error });
      await sleep(50);
    }
  }
}
