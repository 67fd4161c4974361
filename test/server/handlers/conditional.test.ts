import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { fullShell } from '../../support/fake-shell.js';

let app: TestApp;
let content: Buffer;
let mtime: number;
const read = fullShell.files.read;
beforeEach(async () => {
  [content, mtime] = [Buffer.from('0123456789'), 1_000];
  const stream = (bytes: Buffer) => Readable.from([bytes], { objectMode: false });
  fullShell.files.read = async (path, use) =>
    use({
      ...{ path, size: content.length, mode: 0o644, mtime, stream: stream(content) },
      part: (start, end) => stream(content.subarray(start, end)),
    });
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  await app.send('POST', '/api/projects/p/computers', { body: { name: 'desk' } });
});
afterEach(async () => {
  fullShell.files.read = read;
  await app.close();
});

const C = '/api/projects/p/computers/desk';
const get = (headers: Record<string, string> = {}) =>
  app.send('GET', `${C}/files?path=x`, { headers });

it('answers parts of a file', async () => {
  const whole = await get();
  expect([whole.status, whole.text]).toEqual([200, '0123456789']);
  expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '10' });
  const part = await get({ range: 'bytes=2-4' });
  expect([part.status, part.text]).toEqual([206, '234']);
  expect(part.headers).toMatchObject({ 'content-range': 'bytes 2-4/10', 'content-length': '3' });
  const etag = String(whole.headers.etag);
  expect((await get({ range: 'bytes=-2', 'if-range': etag })).text).toBe('89');
  mtime += 1;
  expect(await get({ range: 'bytes=-2', 'if-range': etag })).toMatchObject({
    ...{ status: 200, text: '0123456789' },
  });
});

it('answers 416 with the size for a part beyond the end', async () => {
  const { status, headers, json } = await get({ range: 'bytes=10-' });
  expect([status, json.error]).toEqual([416, 'The file has only 10 bytes.']);
  expect(headers).toMatchObject({
    ...{ 'content-range': 'bytes */10', 'x-error-code': 'range_not_satisfiable' },
    'content-type': expect.stringContaining('application/json'),
  });
  expect(headers['content-disposition']).toBeUndefined();
});

it('answers 304 for a file and a screenshot that have not changed', async () => {
  const etag = String((await get()).headers.etag);
  expect(await get({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
  const shot = (headers: Record<string, string>) => app.send('GET', `${C}/screenshot`, { headers });
  for (const accept of ['application/json', 'image/png']) {
    const first = await shot({ accept });
    expect(first.status).toBe(200);
    const known = { accept, 'if-none-match': String(first.headers.etag) };
    const second = await shot(known);
    expect(second).toMatchObject({ status: 304, text: '', headers: { etag: first.headers.etag } });
    expect((await shot({ accept, 'if-none-match': '"other"' })).status).toBe(200);
  }
});
