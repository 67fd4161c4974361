import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeTar } from '../../../src/lib/tar/write.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';

const TEXT =
  'FROM linux\nARG WORD\nLABEL a=b\nRUN --mount=type=secret,id=npm,env=NPM echo $WORD\nEXPOSE 80\n';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine() });
});
afterEach(() => app.close());

async function archive(text: string): Promise<string> {
  const content = [Buffer.from(text)];
  const file = {
    name: 'Dockerfile',
    kind: 'file',
    mode: 0o644,
    size: text.length,
    content,
  } as const;
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTar([file])) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

const build = async (body: string, query = '', headers: Record<string, string> = {}) =>
  app.send('POST', `/api/images/mybox/build${query}`, {
    body,
    headers: { 'content-type': 'application/x-tar', ...headers },
  });
const lines = ({ text }: Answer) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string });

it('the answer is the progress, and the image last', async () => {
  const secret = { 'x-vc-build-secret': `npm=${Buffer.from('s3cret-4711').toString('base64')}` };
  const answer = await build(await archive(TEXT), '?arg=WORD%3Dword-4711&arg=OTHER%3D1', secret);
  expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  expect(lines(answer)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'note', line: 5 }),
      expect.objectContaining({ type: 'step', step: 2, line: 4 }),
    ]),
  );
  expect(lines(answer).at(-1)).toMatchObject({ type: 'image', image: { name: 'mybox' } });
  expect((await app.send('GET', '/api/images/mybox')).json).toMatchObject({ kind: 'saved' });
  const audit = await app.send('GET', '/api/audit');
  expect(audit.text).toContain('buildImage');
  const log = await app.send('GET', '/api/images/mybox/log');
  expect(log.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(log.text).toMatch(/^#2 \[stage-0 2\/2\] RUN /m);
  expect(answer.text + audit.text + log.text).not.toMatch(/(s3cret|word)-4711/);
  const other = { authorization: `Bearer ${app.world.addOwner('other')}` };
  for (const path of ['/api/images/mybox/log', '/api/images/none/log']) {
    expect((await app.send('GET', path, other)).status).toBe(404);
  }
});

it('an error before the first step has a status, and a later one is the last line', async () => {
  const unknown = await build(await archive('FROM debian\n'));
  expect([unknown.status, unknown.json.error]).toEqual([
    400,
    'Dockerfile:1: there is no image "debian"',
  ]);
  app.world.engine.failures.set('save', new Error('the engine fails'));
  const failed = await build(await archive('FROM linux\nRUN echo\n'));
  expect(failed.status).toBe(200);
  expect(lines(failed).at(-1)).toMatchObject({ type: 'error', code: 'internal' });
  expect((await app.send('GET', '/api/projects')).json.projects).toEqual([]);
});

it.each([
  ['not an archive, but text'.repeat(40), '', {}, 'The context cannot be read'],
  ['', '?arg=4711', {}, 'arg'],
  ['', '?nocache=1', {}, 'nocache'],
  ['', '?engine=vmware', {}, 'no engine "vmware"'],
  ['', '', { 'x-vc-build-secret': 'npm 4711' }, 'X-VC-Build-Secret: must be ID=BASE64'],
])('%#: bad input is refused', async (body, query, headers, error) => {
  const answer = await build(body, query, headers);
  expect(answer.status).toBe(400);
  expect(answer.json.error).toContain(error);
  expect(answer.text).not.toContain('4711');
});

it('names of recipes are refused, and keys without the right', async () => {
  const body = await archive(TEXT);
  const headers = { 'content-type': 'application/x-tar' };
  const reserved = await app.send('POST', '/api/images/linux/build', { body, headers });
  expect(reserved.status).toBe(400);
  const none = await app.send('POST', '/api/images/x/build', { body, authorization: null });
  expect(none.status).toBe(401);
});
