// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { access } from '../../../src/contract/operations.js';
import { ControlLeases } from '../../../src/fleet/control/leases.js';
import { abortable } from '../../../src/lib/async/abort.js';
import { deferred } from '../../../src/lib/async/deferred.js';
import type { Screen } from '../../../src/screen/types.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { fill, routes, UPGRADE } from '../../support/routes.js';
import { exampleOf } from '../../support/shapes.js';

let app: TestApp;
let C: string;
let id: string;
let agent: { id: string; key: string };
/** Headers of requests of the web page. */
let page: Record<string, string>;

beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  id = String(json.id);
  C = `/api/computers/${id}`;
  const created = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  agent = created.json as typeof agent;
  const at = { origin: `http://127.0.0.1:${app.port}` };
  page = { ...at, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const opened = await app.send('POST', '/api/sessions', {
    ...{ body: { key: app.world.key }, headers: page, authorization: null },
  });
  page.cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
});
afterEach(() => app.close());

const asPerson = (method: string, path: string, body: object = {}) =>
  app.send(method, path, { authorization: null, headers: page, body });
const asAgent = (method: string, path: string, body?: object) =>
  app.send(method, path, { authorization: `Bearer ${agent.key}`, ...(body && { body }) });
const code = ({ status, headers }: Answer) => [status, headers['x-error-code']];

test('while a person has control, every route that gives input refuses all others', async () => {
  const taken = await asPerson('POST', `${C}/control`);
  expect(taken.json).toMatchObject({
    is_mine: true,
    control: { holder: { key_name: 'default', session: true } },
  });
  const inputs = routes.filter(({ name }) => {
    const needed = access[name as keyof typeof access];
    return needed !== undefined && needed !== 'open' && needed.input === true;
  });
  expect(inputs.length).toBeGreaterThan(10);
  for (const route of inputs) {
    const path = fill(route.path, { id, project: 'p', computer: 'a' });
    const body = route.body && (exampleOf(route.body) as object);
    const headers = route.upgrade ? UPGRADE : {};
    for (const authorization of [`Bearer ${agent.key}`, `Bearer ${app.world.key}`]) {
      const answer = await app.send(route.method, path, {
        authorization,
        headers,
        ...(body && { body }),
      });
      expect(code(answer), `${route.method} ${path}`).toEqual([400, 'controlled']);
      expect(answer.json.error).toContain('"default" on the web page has control of "a" since 20');
      expect(answer.headers['x-error-remedy']).toContain('vc computer control p/a');
    }
  }
  expect((await asPerson('POST', `${C}/click`, { x: 1, y: 1 })).status).toBe(200);
  expect((await asAgent('GET', `${C}/screenshot`)).status).toBe(200);
  expect((await asAgent('POST', `${C}/bash`, { command: 'true' })).status).toBe(200);
});

test('given back, input works, and the first picture of others says so once', async () => {
  await asPerson('POST', `${C}/control`);
  expect((await asAgent('GET', C)).json.control).toMatchObject({ holder: { session: true } });
  const refused = await asAgent('DELETE', `${C}/control`);
  expect(code(refused)).toEqual([400, 'controlled']);
  expect(refused.json.error).toContain('"default" on the web page has control of "a" since 20');
  expect(refused.json.error).toContain('only its holder gives it back');
  expect(refused.headers['x-error-remedy']).toContain('vc computer control p/a take --force');
  expect(code(await asAgent('POST', `${C}/click`, { x: 1, y: 1 }))).toEqual([400, 'controlled']);
  await asPerson('DELETE', `${C}/control`);
  expect((await asAgent('GET', C)).json.control).toBeNull();
  expect((await asAgent('DELETE', `${C}/control`)).json).toEqual({ success: true });
  expect((await asAgent('POST', `${C}/click`, { x: 1, y: 1 })).status).toBe(200);
  const first = await asAgent('GET', `${C}/screenshot`);
  expect(Date.parse(String(first.json.control_returned_at))).toBeLessThanOrEqual(Date.now());
  expect(first.headers['x-control-returned']).toBe(first.json.control_returned_at);
  const second = await asAgent('GET', `${C}/screenshot`);
  expect(second.json.control_returned_at).toBeUndefined();
  expect((await asPerson('GET', `${C}/screenshot`)).json.control_returned_at).toBeUndefined();
});

test('another takes it only with force, and with the right for that', async () => {
  await asPerson('POST', `${C}/control`);
  expect(code(await asAgent('POST', `${C}/control`, {}))).toEqual([400, 'controlled']);
  expect(code(await asAgent('POST', `${C}/control`, { force: true }))).toEqual([403, 'forbidden']);
  const taken = await app.send('POST', `${C}/control`, { body: { force: true } });
  expect(taken.json).toMatchObject({ is_mine: true, control: { holder: { session: false } } });
  expect(code(await asPerson('POST', `${C}/click`, { x: 1, y: 1 }))).toEqual([400, 'controlled']);
});

test('it ends with its session and with its key', async () => {
  await asPerson('POST', `${C}/control`);
  await asPerson('DELETE', '/api/sessions/current');
  expect((await asAgent('POST', `${C}/click`, { x: 1, y: 1 })).status).toBe(200);
  await asAgent('POST', `${C}/control`, {});
  expect(code(await app.send('POST', `${C}/click`, { body: { x: 1, y: 1 } }))).toEqual([
    400,
    'controlled',
  ]);
  await app.send('DELETE', `/api/keys/${agent.id}`);
  expect((await app.send('POST', `${C}/click`, { body: { x: 1, y: 1 } })).status).toBe(200);
});

test('a batch that has begun ends with the step during which another takes control', async () => {
  const screens = app.world.connectors.screens;
  await asAgent('POST', `${C}/move`, { x: 3, y: 3 });
  const screen = screens.at(-1);
  if (screen === undefined) throw new Error('there is no screen');
  const type = screen.type.bind(screen);
  // The person takes control while the first action runs.
  screen.type = async (text) => {
    await type(text);
    await asPerson('POST', `${C}/control`);
  };
  const actions = [
    { action: 'type', text: 'a' },
    { action: 'click', x: 9, y: 9 },
  ];
  const answer = await asAgent('POST', `${C}/batch`, { actions });
  expect(answer.json).toMatchObject({
    success: false,
    results: [{ success: false, code: 'controlled' }],
  });
  const [failure] = answer.json.results as { error: string }[];
  expect(failure?.error).toMatch(
    /^Key "default" on the web page has control of "a" since 20.*Z; other/,
  );
  expect(screen.inputs).not.toContain('left x1 9,9');
  const { json } = await app.send('GET', '/api/audit?limit=5');
  expect(json.entries).toContainEqual(
    expect.objectContaining({ action: 'batch', outcome: 'controlled', key_id: agent.id }),
  );
});

test('a batch that waits ends when another takes control, whose input is not delayed', async () => {
  const actions = [
    { action: 'wait', seconds: 30 },
    { action: 'bash', command: 'true' },
  ];
  const batch = asAgent('POST', `${C}/batch`, { actions });
  // It has begun.
  await eventually(async () => app.world.connectors.screens.length > 0);
  await sleep(200);
  await asPerson('POST', `${C}/control`);
  expect((await asPerson('POST', `${C}/move`, { x: 3, y: 3 })).status).toBe(200);
  expect((await batch).json).toMatchObject({
    ...{ success: false, results: [{ success: false, code: 'controlled' }] },
  });
}, 15_000);

test('typing that has begun ends when another takes control, and not when its holder renews it', async () => {
  await asAgent('POST', `${C}/control`, {});
  await asAgent('POST', `${C}/move`, { x: 3, y: 3 });
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('there is no screen');
  const signals: (AbortSignal | undefined)[] = [];
  const slow: Screen['type'] = async (_text, options) => {
    signals.push(options?.signal);
    await abortable(new Promise(() => {}), options?.signal);
  };
  Object.assign(screen, { type: slow });
  const typing = asAgent('POST', `${C}/type`, { text: 'slow' });
  await eventually(async () => signals.length === 1);
  await asAgent('POST', `${C}/control`, {});
  expect(signals[0]?.aborted).toBe(false);
  await asPerson('POST', `${C}/control`, { force: true });
  const ended = await typing;
  expect(code(ended)).toEqual([400, 'controlled']);
  expect(ended.json.error).toContain('"default" on the web page has control of "a" since 20');
});

test('a clipboard that waits behind other input is not written when another has control', async () => {
  await asAgent('POST', `${C}/move`, { x: 3, y: 3 });
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('there is no screen');
  const set = vi.spyOn(screen, 'setClipboard');
  const end = deferred<void>();
  const begun = deferred<void>();
  screen.type = async () => {
    begun.resolve();
    await end.promise;
  };
  const first = asAgent('POST', `${C}/type`, { text: 'slow' });
  await begun.promise;
  const second = asAgent('PUT', `${C}/clipboard`, { text: 'agent' });
  const { actions } = app.world.fleet;
  await eventually(() =>
    actions.screen(app.world.store.computers.findById(id) as never, async (_, { length }) => {
      return length === 2;
    }),
  );
  await asPerson('POST', `${C}/control`);
  end.resolve();
  await first;
  expect(code(await second)).toEqual([400, 'controlled']);
  expect(set).not.toHaveBeenCalled();
});

test('an action that waits in the queue is refused when another takes control', async () => {
  await asAgent('POST', `${C}/move`, { x: 3, y: 3 });
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('there is no screen');
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  screen.type = async () => {
    begun();
    await ended;
  };
  const first = asAgent('POST', `${C}/type`, { text: 'slow' });
  await hasBegun;
  const second = asAgent('POST', `${C}/click`, { x: 9, y: 9 });
  const { actions } = app.world.fleet;
  await eventually(() =>
    actions.screen(app.world.store.computers.findById(id) as never, async (_, { length }) => {
      return length === 2;
    }),
  );
  await asPerson('POST', `${C}/control`);
  end();
  expect(code(await first)).toEqual([400, 'controlled']);
  expect(code(await second)).toEqual([400, 'controlled']);
  expect(screen.inputs).not.toContain('left x1 9,9');
});

test('a picture in a batch, and one for a model, say that a person had control', async () => {
  const giveBack = async () => {
    await asPerson('POST', `${C}/control`);
    await asPerson('DELETE', `${C}/control`);
  };
  const notice =
    /^A person had control of this computer until 20.*Z and may have changed the screen\.$/;
  await giveBack();
  const batch = await asAgent('POST', `${C}/batch`, {
    actions: [{ action: 'screenshot' }, { action: 'screenshot' }],
  });
  const [first, second] = batch.json.results as Record<string, unknown>[];
  expect(first).toMatchObject({ control_notice: expect.stringMatching(notice) });
  expect(first?.control_returned_at).toMatch(/^20/);
  expect(second).not.toHaveProperty('control_notice');
  const shots = {
    anthropic: {
      type: 'tool_use',
      id: 'a',
      name: 'screenshot',
      toolset_name: 'computer',
      input: {},
    },
    openai: { type: 'computer_call', id: 'o', call_id: 'o', actions: [{ type: 'screenshot' }] },
    gemini: { type: 'function_call', id: 'g', name: 'take_screenshot', arguments: {} },
    qwen: { name: 'computer_use', arguments: { action: 'screenshot' } },
  };
  for (const [dialect, item] of Object.entries(shots)) {
    await giveBack();
    const body = { items: [item], ...(dialect === 'qwen' ? { dialect } : {}) };
    const used = await asAgent('POST', `${C}/computer-use`, body);
    expect(used.json.control_notice, dialect).toMatch(notice);
    expect(JSON.stringify(used.json.results), dialect).toContain(String(used.json.control_notice));
  }
  const again = await asAgent('POST', `${C}/computer-use`, {
    items: [{ ...shots.anthropic, id: 'b' }],
  });
  expect(again.json).not.toHaveProperty('control_notice');
  // Given back by a program of another key.
  await app.send('POST', `${C}/control`);
  await app.send('DELETE', `${C}/control`);
  const shot = await asAgent('GET', `${C}/screenshot`);
  expect(shot.json.control_notice).toMatch(/^Another client had control/);
});

test('taking, giving back and the end by itself are in the audit log and are events', async () => {
  await app.close();
  app = await openTestApp({ controlMs: 300 });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  C = `/api/computers/${json.id}`;
  const owner = app.world.fleet.apiKeys.authenticate(app.world.key);
  if (owner === undefined) throw new Error('the key is unknown');
  const subscription = app.world.fleet.events.subscribe(owner, {
    types: ['computer.control'],
  } as never);
  await app.send('POST', `${C}/control`);
  await app.send('DELETE', `${C}/control`);
  // The second one renews it.
  for (const _ of [1, 2]) await app.send('POST', `${C}/control`);
  await eventually(async () => (await app.send('GET', C)).json.control === null);
  const events = subscription.read().map(({ event }) => event);
  const of = { type: 'computer.control', id: json.id, name: 'a', project: 'p' };
  const holder = { key_id: owner.keyId, key_name: 'default', session: false };
  expect(events).toMatchObject(
    ['taken', 'released', 'taken', 'expired'].map((change) => ({ ...of, change, holder })),
  );
  const { entries } = (await app.send('GET', '/api/audit?limit=4')).json;
  expect(entries).toMatchObject([
    {
      ...{ action: 'controlEnded', key_id: owner.keyId, computer_id: json.id, outcome: 'ok' },
      detail: { step: 'expired', holder: owner.keyId, session: false },
    },
    { action: 'takeControl' },
    { action: 'releaseControl' },
    { action: 'takeControl' },
  ]);
  subscription.close();
});

test('a sign of the holder keeps it for the whole time again', () => {
  vi.useFakeTimers();
  try {
    const { apiKeys, computers } = app.world.fleet;
    const owner = apiKeys.authenticate(app.world.key);
    if (owner === undefined) throw new Error('the key is unknown');
    const leases = new ControlLeases(apiKeys);
    const record = computers.find(owner, { id });
    leases.take(record, owner, 'if-free');
    vi.advanceTimersByTime(59_000);
    expect(leases.allows(id, owner)).toBe(true);
    vi.advanceTimersByTime(59_000);
    expect(leases.of(id)).not.toBeNull();
    const ended: string[] = [];
    leases.onChange(({ step }) => ended.push(step));
    vi.advanceTimersByTime(1_000);
    expect(leases.of(id)).toBeNull();
    expect(ended).toEqual(['expired']);
  } finally {
    vi.useRealTimers();
  }
});
