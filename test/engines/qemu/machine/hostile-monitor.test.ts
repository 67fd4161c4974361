import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { identifyProcess } from '../../../../src/lib/process/identity.js';
import { promise } from '../../../support/run/promise.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-machine-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What the machine says after QEMU, which answers the service's commands, has sent the events. */
async function stateAfter(events: readonly string[]): Promise<string | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('{"QMP":{}}\n');
    socket.on('data', (data) => {
      for (const line of String(data).split('\n').filter(Boolean)) {
        const { id, execute } = JSON.parse(line) as { id: number; execute: string };
        const asked = execute === 'query-status';
        socket.write(`${JSON.stringify({ id, return: asked ? { status: 'running' } : {} })}\n`);
        if (asked) for (const event of events) socket.write(`${event}\n`);
      }
    });
  }).listen(join(directory, 'qmp.sock'));
  await once(server, 'listening');
  const machine = new QemuMachine('one', directory, {
    onChange: () => undefined,
    onReset: async () => undefined,
    onHangUp: () => undefined,
  });
  const identity = await identifyProcess(process.pid);
  if (identity === undefined) throw new Error('this process is unknown');
  machine.attach(QemuProcess.adopt({ directory, account: {} as never }, identity));
  await machine.qemu?.status();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { reason } = machine.state;
  server.close();
  return reason;
}

promise(20, 'events of a QEMU that its guest has taken over end nothing', async (report) => {
  const failed = (reason: string) =>
    `{"event":"BLOCK_IO_ERROR","data":{"action":"stop","reason":${reason}}}`;
  const deep = '['.repeat(300_000) + ']'.repeat(300_000);
  const events = ['{"toString":0}', deep, 'null', '{"toString":{}}'].map(failed);
  // An exception in a listener of a stream ends the process, and vitest reports it.
  const reason = await stateAfter([...events, '{"event":"RESET"}', '{"event":1,"data":2}']);
  expect(reason).toBe('Its disk failed: it gave no reason');
  report(`${events.length} kinds of reasons`);
});

promise(20, 'a reason that such a QEMU gives is one short line', async () => {
  const reason = JSON.stringify(`\u001b[2J${'x'.repeat(100_000)}\n`);
  const event = `{"event":"BLOCK_IO_ERROR","data":{"action":"stop","reason":${reason}}}`;
  const shown = await stateAfter([event]);
  expect(shown).toMatch(/^Its disk failed: /);
  expect(shown?.length).toBeLessThan(250);
  expect(shown).not.toContain('\u001b');
});
