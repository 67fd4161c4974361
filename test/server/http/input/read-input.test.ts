import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeRemedy } from '../../../../src/contract/errors.js';
import { operations } from '../../../../src/contract/operations.js';
import { readInput } from '../../../../src/server/http/input/read-input.js';
import { openTestApp, type TestApp } from '../../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'desk' } });
});
afterAll(() => app.close());

const C = '/api/projects/shop/computers/desk';
const warningOf = (answer: { headers: NodeJS.Dict<string | string[]> }) =>
  decodeRemedy(String(answer.headers['x-warning'] ?? ''));

describe('an unknown field', () => {
  it.each([
    ['POST', '/bash', { comand: 'ls' }, '"comand"', 'Did you mean "command"?'],
    ['POST', '/bash', { command: 'ls', signal: {} }, '"signal"', undefined],
    ['POST', '/move', { x: 1, y: 1, z: 1 }, '"z"', undefined],
    ['POST', '/stop', { force: true }, '"force"', 'Leave it out.'],
    ['POST', '/stop?wait=0', undefined, '"wait"', 'Leave it out.'],
    ['GET', '/actions?limt=5', undefined, '"limt"', 'Did you mean "limit"?'],
    ['GET', '/files?path=x&mod=600', undefined, '"mod"', undefined],
    ['GET', '/tunnel?port=80&host=a', undefined, '"host"', undefined],
    [
      'POST',
      '/batch',
      { actions: [{ action: 'click', x: 1, y: 1, buton: 'right' }] },
      '"actions.0.buton"',
      'Did you mean "button"?',
    ],
    ['POST', '/key', { key: 'a', settle: { quiet: 5 } }, '"settle.quiet"', undefined],
    ['POST', '/wait', { secnds: 1 }, '"secnds"', 'Did you mean "seconds"?'],
  ])('of %s %s %j is a 400 that names it', async (method, path, body, name, remedy) => {
    const answer = await app.send(method, `${C}${path}`, body === undefined ? {} : { body });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(name);
    const given = decodeRemedy(String(answer.headers['x-error-remedy']));
    expect(given).toMatch(remedy === undefined ? /./ : remedy);
  });

  it('of a published operation is ignored, with a warning', async () => {
    const rows = Object.values(operations).filter((operation) => 'published' in operation);
    expect(rows).toHaveLength(7);
    const body = { x: 1, y: 1, buton: 'right' };
    const clicked = await app.send('POST', `${C}/click`, { body });
    expect(clicked.status).toBe(200);
    expect(warningOf(clicked)).toBe('unknown field "buton" was ignored. Did you mean "button"?');
    const made = await app.send('POST', '/api/projects', { body: { name: 'more', colour: 'blå' } });
    expect(made.status).toBe(200);
    expect(warningOf(made)).toBe('unknown field "colour" was ignored');
    const started = await app.send('POST', `${C}/start?wiat=0`, { body: { a: 1 } });
    expect(started.status).toBe(200);
    expect(warningOf(started)).toContain('"a" was ignored; unknown field "wiat"');
    const clean = await app.send('POST', `${C}/click`, { body: { x: 1, y: 1 } });
    expect(clean.headers['x-warning']).toBe(undefined);
  });

  it('with a hostile name fits into a header', async () => {
    const body: Record<string, unknown> = { x: 1, y: 1, 'a\r\nset-cookie: b': 1, '漢\u202e': 1 };
    for (let i = 0; i < 1000; i++) body[`${'x'.repeat(500)}${i}`] = 1;
    const answer = await app.send('POST', `${C}/click`, { body });
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']).toBe(undefined);
    expect(String(answer.headers['x-warning']).length).toBeLessThan(2000);
  });
});

/** Items of a batch, and how often one of them was looked at. */
function watched(fields: object) {
  const counter = { reads: 0 };
  const item = Object.defineProperty({ ...fields }, 'action', {
    enumerable: true,
    get() {
      counter.reads += 1;
      return 'screenshot';
    },
  });
  return { item, counter };
}

const requestOf = (body: unknown) =>
  ({ raw: { headers: { 'content-length': '9' } }, body, query: {} }) as unknown as FastifyRequest;

it('a list that is too long is refused without looking at each of its items', () => {
  for (const fields of [{}, { sclae: 1 }]) {
    const { item, counter } = watched(fields);
    const body = { actions: Array(20_000).fill(item) };
    expect(() => readInput(operations.batch, requestOf(body))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(counter.reads).toBeLessThan(1000);
  }
});

it('a list of points is not searched for fields', () => {
  let reads = 0;
  const point = new Proxy([1, 1], {
    ownKeys(target) {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  });
  const drag = { start_x: 1, start_y: 1, end_x: 2, end_y: 2, path: Array(1000).fill(point) };
  readInput(operations.drag, requestOf(drag));
  expect(reads).toBe(0);
});

it('of a body that is also wrong, an unknown field is named', async () => {
  const click = { action: 'click', x: 1, y: 1 };
  const actions = [
    ...Array(98).fill(click),
    { ...click, buton: 'left' },
    { action: 'click', x: 'a' },
  ];
  const answer = await app.send('POST', `${C}/batch`, { body: { actions } });
  expect(answer.status).toBe(400);
  expect(answer.json.error).toBe('The body has no field "actions.98.buton".');
});

it('a long name of an unknown field is cut before it is cleaned', () => {
  const clean = vi.spyOn(String.prototype, 'replaceAll');
  try {
    const body = { x: 1, y: 1, [`\u202e${'👍'.repeat(500_000)}`]: 1 };
    const { warning = '' } = readInput(operations.click, requestOf(body));
    const message = decodeRemedy(warning) ?? '';
    expect(message).toMatch(/^unknown field "\?👍+\ufffd?…" was ignored$/u);
    const lengths = clean.mock.contexts.map((text) => String(text).length);
    expect(Math.max(...lengths)).toBeLessThan(1000);
  } finally {
    clean.mockRestore();
  }
});

it('yes and no in a query are true, false, 1 and 0 in any case', async () => {
  for (const [value, status] of [
    ['True', 200],
    ['FALSE', 200],
    ['true', 200],
    ['0', 200],
    ['yes', 400],
    ['2', 400],
    ['', 400],
  ] as const) {
    for (const path of [`/screenshot?cursor=${value}`, `/screenshot?settle=${value}`]) {
      expect((await app.send('GET', `${C}${path}`)).status, path).toBe(status);
    }
    const started = await app.send('POST', `${C}/start?wait=${value}`);
    expect(started.status, `wait=${value}`).toBe(status);
  }
});

it.each([
  ['image/*', undefined, 'image/png'],
  ['text/html, IMAGE/*;q=0.8', undefined, 'image/png'],
  ['image/*', 'jpeg', 'image/jpeg'],
  ['image/*, image/webp', undefined, 'image/webp'],
  ['*/*', undefined, 'application/json; charset=utf-8'],
])('a screenshot with Accept: %s and format %s is %s', async (accept, format, type) => {
  const query = format === undefined ? '' : `?format=${format}`;
  const answer = await app.send('GET', `${C}/screenshot${query}`, { headers: { accept } });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe(type);
});

it('a list of marks cannot be in the bytes of an image', async () => {
  const headers = { accept: 'image/png' };
  const answer = await app.send('GET', `${C}/screenshot?marks=1`, { headers });
  expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'invalid_request']);
  expect(answer.headers['x-error-remedy']).toBe('Send Accept: application/json');
});
