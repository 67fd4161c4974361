// @module-tag slow
import { duplexPair } from 'node:stream';
import { expect } from 'vitest';
import { Agent } from '../../../../src/engines/qemu/guest/agent.js';
import { QmpClient } from '../../../../src/engines/qemu/monitor/client.js';
import { Disconnected } from '../../../../src/engines/qemu/monitor/json-peer.js';
import { promise } from '../../../support/run/promise.js';

const FLOODS = ['\n', '{}\n', '{x\n', `${'['.repeat(60_000)}\n`, 'x'.repeat(60_000)];

/** The peer's end of a stream, which sends `text` for as long as it is read, and at most 32 MiB. */
function flooded(text: string) {
  const [near, far] = duplexPair();
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  let sent = 0;
  const send = () => {
    while (!far.destroyed && !near.destroyed && sent < 32 << 20) {
      sent += chunk.length;
      if (!far.write(chunk)) return void far.once('drain', send);
    }
  };
  far.on('error', () => undefined).resume();
  return { near, start: send, sent: () => sent };
}

promise(
  29,
  "a guest agent that sends without end is disconnected, and QEMU's monitor too",
  async (report) => {
    let slowest = 0;
    for (const text of FLOODS) {
      const agent = flooded(text);
      const started = performance.now();
      const peer = new Agent(agent.near);
      agent.start();
      await expect(peer.hello(AbortSignal.timeout(10_000))).rejects.toThrow(Disconnected);
      expect(agent.sent()).toBeLessThan(2 << 20);
      peer.close();

      const monitor = flooded(text);
      const opened = QmpClient.open(monitor.near);
      monitor.start();
      await expect(opened).rejects.toThrow('sent too much');
      expect(monitor.sent()).toBeLessThan(8 << 20);
      slowest = Math.max(slowest, performance.now() - started);
    }
    report(`read for ${Math.round(slowest)} ms`);
  },
);
