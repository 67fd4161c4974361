import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { QemuHost } from '../../../../src/engines/qemu/host.js';
import { configureOrEnd } from '../../../../src/engines/qemu/machine/configure-guest.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { deferred } from '../../../../src/lib/async/deferred.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const host = { network: async () => ({ guest: null }) } as unknown as QemuHost;

let directory: string;
let machine: QemuMachine;
let agent: Server;
let isEnded: boolean;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-configure-'));
  machine = new QemuMachine('one', directory, {
    onChange: () => undefined,
    onReset: async () => undefined,
    onHangUp: () => undefined,
  });
  await machine.writeNew(await machineRecord({ used: false }));
  await writeFile(join(directory, 'qemu.log'), 'qemu: something is broken\n');
  const exited = deferred<void>();
  isEnded = false;
  machine.attach({
    ...{ alive: true, exited: exited.promise, release: () => undefined },
    onEvent: () => undefined,
    execute: async () => 'the console',
    end: async () => {
      isEnded = true;
      exited.resolve();
    },
  } as unknown as QemuProcess);
  agent = createServer();
  agent.listen(join(directory, 'control.sock'));
  await once(agent, 'listening');
});
afterEach(async () => {
  agent.close();
  await rm(directory, { recursive: true });
});

it('reports why the guest was not configured, and ends QEMU', async () => {
  agent.on('connection', (socket: Socket) => {
    socket.on('data', (line) => {
      const { id, do: what } = JSON.parse(line.toString());
      const answer = { id, ok: what === 'hello', error: 'no such user' };
      socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  await expect(configureOrEnd(machine, host, undefined)).rejects.toMatchObject({
    code: 'guest_failed',
    message: 'The computer\'s agent failed on "configure": no such user',
  });
  expect(isEnded).toBe(true);
});

it('reports that the guest cannot be recorded as configured', async () => {
  agent.on('connection', (socket: Socket) => {
    socket.on('data', (line) => {
      const { id } = JSON.parse(line.toString());
      socket.write(`${JSON.stringify({ id, ok: true })}\n`);
    });
  });
  vi.spyOn(machine, 'write').mockRejectedValue(new Error('ENOSPC: no space left on device'));
  await expect(configureOrEnd(machine, host, undefined)).rejects.toThrow('no space left on device');
  expect(isEnded).toBe(true);
});

it("reports QEMU's last words if it closed the connection", async () => {
  agent.on('connection', (socket: Socket) => socket.destroy());
  await expect(configureOrEnd(machine, host, undefined)).rejects.toMatchObject({
    code: 'guest_failed',
    message: 'The computer ended while it was starting: qemu: something is broken',
  });
});
