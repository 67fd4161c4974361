import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

const content = Buffer.from('0123456789');
const files = () => vc.computer({ id: 'cmp_1' }).files;

/** Serves the file, in parts or, as a file in /proc, only whole. */
function serve(kind: 'parts' | 'whole'): void {
  service.handle('GET /computers/cmp_1/files', ({ headers }, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (kind === 'whole' || first === undefined) return void response.end(content);
    if (Number(first) >= content.length) {
      response.writeHead(416, { 'x-error-code': 'range_not_satisfiable' }).end('{"error":"no"}');
      return;
    }
    const end = last ? Number(last) + 1 : content.length;
    response.writeHead(206).end(content.subarray(Number(first), end));
  });
}

it.each(['parts', 'whole'] as const)('reads parts of a file like slice (%s)', async (kind) => {
  serve(kind);
  for (const range of [{}, { start: 3 }, { end: 4 }, { start: 2, end: 5 }, { start: 0, end: 99 }]) {
    const { start, end } = range as { start?: number; end?: number };
    expect(await files().read('x', range)).toEqual(content.subarray(start, end));
  }
  for (const empty of [{ start: 10 }, { start: 99, end: 100 }, { start: 5, end: 5 }, { end: 0 }]) {
    expect(await files().read('x', empty)).toEqual(Buffer.alloc(0));
  }
});

it('refuses positions that are not possible, before anything is sent', async () => {
  for (const range of [{ start: -1 }, { end: 1.5 }, { start: Number.NaN }]) {
    await expect(files().read('x', range)).rejects.toThrow(RangeError);
  }
  expect(service.received).toEqual([]);
});

it.each([
  ['a file', {}],
  ['a part of one without a size', { start: 1 }],
])('close ends the transfer of %s that nobody reads', async (_, range) => {
  const closed = new Promise((resolve) => {
    service.handle('GET /computers/cmp_1/files', (_, response) => {
      response.once('close', resolve);
      response.write(content);
    });
  });
  await (await files().open('x', range)).close();
  await closed;
});

it('cancelling the stream of a file that was not read ends the transfer', async () => {
  const closed = new Promise((resolve) => {
    service.handle('GET /computers/cmp_1/files', (_, response) => {
      response.once('close', resolve);
      response.write(content);
    });
  });
  await (await files().open('x')).stream.cancel();
  await closed;
});

it('a loop over a file whose signal is aborted throws the reason', async () => {
  service.handle('GET /computers/cmp_1/files', (_, response) => void response.write(content));
  for (const how of ['loop', 'stream'] as const) {
    const ended = new AbortController();
    const reason = new Error('the user has left');
    const file = await files().open('x', { signal: ended.signal });
    const read = async () => {
      for await (const _ of how === 'loop' ? file : file.stream) ended.abort(reason);
    };
    await expect(read(), how).rejects.toBe(reason);
  }
});
