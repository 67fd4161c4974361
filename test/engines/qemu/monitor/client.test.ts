import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { QmpClient, type QmpEvent } from '../../../../src/engines/qemu/monitor/client.js';

const GREETING = '{"QMP":{"version":{},"capabilities":[]}}\r\n';
type Question = { id: number; execute: string; arguments?: unknown };

/** The QEMU end of a monitor connection. */
class FakeMonitor {
  readonly asked: Question[] = [];
  readonly near: Duplex;
  readonly far: Duplex;

  constructor() {
    [this.near, this.far] = duplexPair();
    this.far.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().trim().split('\n')) {
        const question = JSON.parse(line) as Question;
        if (question.execute === 'qmp_capabilities') this.answer(question, {});
        else this.asked.push(question);
      }
    });
  }

  say(text: string): void {
    this.far.write(text);
  }

  answer({ id }: Question, value: unknown): void {
    this.say(`${JSON.stringify({ return: value, id })}\r\n`);
  }

  async question(index: number): Promise<Question> {
    for (;;) {
      const found = this.asked[index];
      if (found) return found;
      await sleep(1);
    }
  }
}

let monitor: FakeMonitor;
beforeEach(() => {
  monitor = new FakeMonitor();
});

async function open(): Promise<QmpClient> {
  const opening = QmpClient.open(monitor.near);
  monitor.say(GREETING);
  return opening;
}

describe('QMP', () => {
  it('matches responses to commands in any order', async () => {
    const client = await open();
    const answers = Promise.all([client.execute('one'), client.execute('two', { a: 1 })]);
    const [one, two] = [await monitor.question(0), await monitor.question(1)];
    expect(two).toMatchObject({ execute: 'two', arguments: { a: 1 } });
    monitor.answer(two, 'second');
    monitor.answer(one, 'first');
    expect(await answers).toEqual(['first', 'second']);
  });

  it("rejects with QEMU's description", async () => {
    const client = await open();
    const refused = client.execute('cont');
    const { id } = await monitor.question(0);
    monitor.say(`{"id":${id},"error":{"class":"GenericError","desc":"no way"}}\n`);
    await expect(refused).rejects.toMatchObject({
      message: 'QEMU refused cont: no way',
      kind: 'GenericError',
    });
  });

  it('times out and accepts further commands', async () => {
    const client = await open();
    await expect(client.execute('slow', undefined, { timeoutMs: 20 })).rejects.toThrow(
      'QEMU did not answer within 0.02 s',
    );
    monitor.answer(await monitor.question(0), 'too late');
    const next = client.execute('next');
    monitor.answer(await monitor.question(1), 'in time');
    expect(await next).toBe('in time');
  });

  it("rejects with a signal's reason", async () => {
    const client = await open();
    const controller = new AbortController();
    const aborted = client.execute('slow', undefined, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await expect(client.execute('x', undefined, { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
  });

  it('emits events', async () => {
    const client = await open();
    const events: QmpEvent[] = [];
    client.on('event', (event) => events.push(event));
    const done = client.execute('query-status');
    monitor.say('{"event":"RESET","data":{"guest":true},"timestamp":{}}\n{"event":"STOP"}\n');
    monitor.answer(await monitor.question(0), {});
    await done;
    expect(events).toEqual([
      { event: 'RESET', data: { guest: true } },
      { event: 'STOP', data: {} },
    ]);
  });

  it('ignores invalid messages', async () => {
    const client = await open();
    const done = client.execute('query-status');
    monitor.say('nonsense\n{"id":99,"return":1}\n{"id":"1"}\n[]\n{"event":5}\n\0\n');
    monitor.answer(await monitor.question(0), 'fine');
    expect(await done).toBe('fine');
  });

  it('rejects all commands when the connection ends', async () => {
    const client = await open();
    const closed = new Promise((resolve) => client.once('close', resolve));
    const both = Promise.allSettled([client.execute('one'), client.execute('two')]);
    await monitor.question(1);
    monitor.far.destroy();
    monitor.near.destroy();
    for (const result of await both) expect(result).toMatchObject({ status: 'rejected' });
    await closed;
    expect(client.open).toBe(false);
    await expect(client.execute('three')).rejects.toThrow('QEMU closed the connection');
  });

  it('fails to open without a greeting', async () => {
    await expect(QmpClient.open(monitor.near, { timeoutMs: 30 })).rejects.toThrow(
      'sent no greeting',
    );
    expect(monitor.near.destroyed).toBe(true);
  });

  it('fails to open when the peer disconnects', async () => {
    const opening = QmpClient.open(monitor.near);
    monitor.near.destroy();
    await expect(opening).rejects.toThrow('closed the connection');
  });
});
