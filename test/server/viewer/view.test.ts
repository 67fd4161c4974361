// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { openScreen } from '../../../src/screen/index.js';
import { keyEvent, pointerEvent } from '../../../src/screen/rfb/messages.js';
import { buildApp } from '../../../src/server/app.js';
import { eventually } from '../../support/eventually.js';
import type { FakeScreen } from '../../support/fake-connectors.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';
import { openViewer } from '../../support/viewer.js';

let world: TestFleet;
let app: FastifyInstance;
let origin: string;
let ids: string[];

beforeAll(async () => {
  world = await openTestFleet({ maxRunning: 9 });
  app = await buildApp({
    fleet: world.fleet,
    reachable: { hosts: [] },
    version: '0.0.0',
    log: pino({ level: 'silent' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await call('POST', '/projects', { name: 'p' });
  ids = [];
  for (const name of ['a', 'b']) {
    ids.push(String((await call('POST', '/projects/p/computers', { name })).id));
  }
});
afterAll(async () => {
  await app.close();
  await world.close();
});

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const response = await fetch(`${origin}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function link(id = ids[0] ?? '', mode: 'view' | 'control' = 'control'): Promise<string> {
  return String((await call('POST', `/computers/${id}/view`, { mode })).url);
}

/** The screen that a viewer sees: the last opened one. */
function fake(): FakeScreen {
  const screen = world.connectors.screens.findLast(
    (candidate) => candidate.open && candidate.listenerCount('damage') > 0,
  );
  if (screen === undefined) throw new Error('no screen is open');
  return screen;
}

test('a link carries the ticket in its fragment, no key, and expires within a minute', async () => {
  const { url, expires_at } = await call('POST', `/computers/${ids[0]}/view`, {});
  expect(url).toMatch(new RegExp(`^http://127.0.0.1:\\d+/api/view/${ids[0]}#vt_[0-9a-z]{32}$`));
  const left = Date.parse(String(expires_at)) - Date.now();
  expect(left).toBeGreaterThan(55_000);
  expect(left).toBeLessThanOrEqual(60_000);
  const other = await call('POST', `/computers/${ids[0]}/view`, { mode: 'watch' });
  expect(other.error).toContain('mode must be "view" or "control"');
});

test("a computer's url is the page without a ticket, in every operation", async () => {
  const url = `${origin}/api/view/${ids[0]}`;
  expect((await call('GET', `/computers/${ids[0]}`)).url).toBe(url);
  const { computers } = await call('GET', '/projects/p/computers');
  expect((computers as { url: string }[]).map((computer) => computer.url)).toContain(url);
  const secure = await call('GET', `/computers/${ids[0]}`, undefined, {
    'x-forwarded-proto': 'https',
  });
  expect(secure.url).toBe(url.replace('http:', 'https:'));
});

describe('the page', () => {
  it('needs no key, loads only its own files, and cannot be framed', async () => {
    const response = await fetch(`${origin}/api/view/${ids[0]}`);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=|https?:\/\//);
  });

  it('does not reveal whether a computer exists', async () => {
    const texts = await Promise.all(
      [ids[0], 'cmp_00000000000000000000'].map(async (id) =>
        (await fetch(`${origin}/api/view/${id}`)).text(),
      ),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it.each([
    'x;reboot',
    '$(reboot)',
    '`reboot`',
    'cmp_0123456789abcdefghjk&reboot',
    "cmp_0123456789abcdefghjk'",
    'cmp_0123456789abcdefghjk%0areboot',
  ])('does not exist at %j, which it would show in a command to copy', async (name) => {
    const response = await fetch(`${origin}/api/view/${name}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('reboot');
  });

  it.each(['view.js', 'view.css', 'icon.svg'])('has its file %s', async (path) => {
    const response = await fetch(`${origin}/api/view/assets/${path}`);
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  it.each([
    '',
    'nothing.js',
    '%2e%2e/%2e%2e/package.json',
    'view.js/..%2fpackage.json',
    'index.html',
  ])('has no file %j', async (path) => {
    const { status } = await fetch(`${origin}/api/view/assets/${path}`);
    expect([401, 404]).toContain(status);
  });
});

describe('a ticket', () => {
  promise(6, 'opens once', async () => {
    const url = await link();
    const viewer = openViewer(url);
    expect(await viewer.first).toEqual({ type: 'ready', mode: 'control', name: 'p/a' });
    const second = openViewer(url);
    expect(await second.closed).toMatchObject({ code: 'unauthorized' });
    viewer.socket.close();
  });

  promise(6, 'opens no other computer', async () => {
    const url = (await link(ids[0])).replace(ids[0] ?? '', ids[1] ?? '');
    expect(await openViewer(url).closed).toMatchObject({
      code: 'unauthorized',
      reason: expect.stringContaining('another computer'),
    });
  });

  it.each([
    ['none', '{}'],
    ['no JSON', 'RFB 003.008\n'],
    ['bytes', Buffer.from([1, 2, 3])],
    ['an API key', JSON.stringify({ ticket: 'vc_00000000000000000000000000000000' })],
    ['a list', '[[[[]]]]'],
  ])('is missing: %s', async (_, opening) => {
    expect(await openViewer(await link(), opening).closed).toMatchObject({ code: 'unauthorized' });
  });

  it('is limited in size', async () => {
    const viewer = openViewer(await link(), JSON.stringify({ ticket: 'x'.repeat(100_000) }));
    expect((await viewer.closed)?.code ?? 'cut off').toMatch(/cut off|unauthorized/);
  });

  promise(6, 'is refused from another web page', async () => {
    const url = new URL(await link());
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(`ws://127.0.0.1:${url.port}${url.pathname}/socket`, {
      origin: 'http://example.com',
    });
    const refused = await new Promise((resolve) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.on('open', () => resolve('opened'));
    });
    expect(refused).toBe(400);
  });
});

test('a program opens a view with a ticket, without an Origin', async () => {
  const { hash, pathname, port } = new URL(await link());
  const { WebSocket } = await import('ws');
  const program = new WebSocket(`ws://127.0.0.1:${port}${pathname}/socket`);
  program.on('open', () => program.send(JSON.stringify({ ticket: hash.slice(1) })));
  const first = await new Promise((resolve) => program.once('message', resolve));
  expect(JSON.parse(String(first))).toMatchObject({ type: 'ready' });
  program.terminate();
});

test('a viewer sees the screen and its changes', async () => {
  const viewer = openViewer(await link());
  await viewer.first;
  const seen = await openScreen(viewer.stream);
  const picture = async () => {
    const { data } = await seen.screenshot({ format: 'png', quality: 80, scale: 1, cursor: false });
    const { data: pixels } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
    return pixels[0];
  };
  expect(seen.size).toEqual({ width: 1280, height: 800 });
  expect(await picture()).toBe(0x40);
  fake().pixels = async (regions) =>
    regions.map(({ width, height }) => Buffer.alloc(width * height * 4, 0x90));
  fake().change({ x: 0, y: 0, width: 1280, height: 800 });
  await eventually(async () => (await picture()) === 0x90);
  seen.close();
});

describe('input', () => {
  it('of a control viewer reaches the screen, and is released when the viewer disconnects', async () => {
    const viewer = openViewer(await link());
    await viewer.first;
    const seen = await openScreen(viewer.stream);
    const { inputs } = fake();
    inputs.length = 0;
    viewer.stream.write(Buffer.concat([pointerEvent(5, 6, 0), pointerEvent(5, 6, 1)]));
    viewer.stream.write(keyEvent('press', 0x61));
    await eventually(async () => inputs.includes('press 61'));
    expect(inputs).toEqual(['pointer 5,6 0', 'pointer 5,6 1', 'press 61']);
    viewer.socket.send(JSON.stringify({ type: 'clipboard', text: 'für dich' }));
    await eventually(async () => inputs.includes('copy für dich'));
    seen.close();
    viewer.socket.terminate();
    await eventually(async () => inputs.includes('release all'));
  });

  promise(6, 'of a view-only viewer reaches nothing', async () => {
    const viewer = openViewer(await link(ids[0], 'view'));
    expect(await viewer.first).toMatchObject({ mode: 'view' });
    const seen = await openScreen(viewer.stream);
    const { inputs } = fake();
    inputs.length = 0;
    viewer.stream.write(Buffer.concat([pointerEvent(5, 6, 1), keyEvent('press', 0x61)]));
    viewer.socket.send(JSON.stringify({ type: 'clipboard', text: 'no' }));
    await seen.click({ x: 1, y: 1, button: 'left', clicks: 1, keys: [] });
    await sleep(100);
    expect(inputs).toEqual([]);
    expect(viewer.socket.readyState).toBe(viewer.socket.OPEN);
    seen.close();
  });
});

test('input that a view-only viewer sends is no sign of life of who has control', async () => {
  const viewer = openViewer(await link(ids[0], 'view'));
  await viewer.first;
  const seen = await openScreen(viewer.stream);
  const allows = vi.spyOn(world.fleet.control, 'allows');
  viewer.stream.write(Buffer.concat([keyEvent('press', 0x61), pointerEvent(5, 6, 1)]));
  // They were taken before this one is answered.
  await seen.click({ x: 1, y: 1, button: 'left', clicks: 1, keys: [] });
  await sleep(100);
  expect(allows).not.toHaveBeenCalled();
  allows.mockRestore();
  seen.close();
});

test('a viewer that breaks the protocol gets an error, and others are unaffected', async () => {
  const good = openViewer(await link());
  const bad = openViewer(await link());
  await Promise.all([good.first, bad.first]);
  const seen = await openScreen(good.stream);
  bad.stream.write('GET / HTTP/1.1\r\n\r\n');
  expect(await bad.closed).toMatchObject({ code: 'invalid_request' });
  expect(seen.open).toBe(true);
  seen.close();
});

test('a view continues when its screen is reopened', async () => {
  const viewer = openViewer(await link());
  await viewer.first;
  const seen = await openScreen(viewer.stream);
  const old = fake();
  old.close();
  const reopened = () =>
    world.connectors.screens.findLast((s) => s !== old && s.open && s.listenerCount('damage') > 0);
  const { inputs } = await eventually(async () => reopened());
  await eventually(async () => {
    viewer.stream.write(keyEvent('press', 0x62));
    return inputs.includes('press 62');
  });
  expect(viewer.events.filter(({ type }) => type === 'ready')).toHaveLength(1);
  seen.close();
});

test('a stopped computer has no live view', async () => {
  const { id } = await call('POST', '/projects/p/computers', { name: 'off' });
  await call('POST', `/computers/${id}/stop`);
  // All fields have defaults, so no body is needed.
  const response = await fetch(`${origin}/api/computers/${id}/view`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}` },
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: 'The computer "off" is stopped.',
  });
  expect(response.headers.get('x-error-code')).toBe('not_running');
  expect(response.headers.get('x-error-remedy')).toBe('Start it: vc start p/off');
});

test.each([
  ['stop', 'not_running', /stop/],
  ['delete', 'not_found', /deleted/],
])('a viewer learns that its computer was told to %s', async (what, code, reason) => {
  const { id } = await call('POST', '/projects/p/computers', { name: `to-${what}` });
  const viewer = openViewer(await link(String(id)));
  await viewer.first;
  const seen = await openScreen(viewer.stream);
  if (what === 'stop') await call('POST', `/computers/${id}/stop`);
  else await call('DELETE', `/computers/${id}`);
  expect(await viewer.closed).toMatchObject({ code, reason: expect.stringMatching(reason) });
  await eventually(async () => !seen.open);
});

promise(29, 'a view that sends much RFB in one message is closed', async () => {
  const viewer = openViewer(await link());
  await viewer.first;
  // Pointer events; a viewer sends a few bytes at a time.
  viewer.socket.send(Buffer.alloc(64 * 1024 + 2, Buffer.of(5, 0, 0, 0, 0, 0)));
  expect(await viewer.closed).toMatchObject({ code: 'payload_too_large' });
});

describe('while someone has control', () => {
  const control = (method: string, key?: string) =>
    call(method, `/computers/${ids[0]}/control`, method === 'GET' ? undefined : {}, {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    });
  const newKey = async (name: string) =>
    String((await call('POST', '/keys', { name, rights: 'act' })).key);
  /** A live view that a key has opened. */
  const view = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const { url } = await call('POST', `/computers/${ids[0]}/view`, { mode: 'control' }, headers);
    const viewer = openViewer(String(url));
    await viewer.first;
    const seen = await openScreen(viewer.stream);
    const said = () =>
      viewer.events.flatMap((event) =>
        event.type === 'control'
          ? [`${event.control?.holder.key_name ?? 'nobody'} ${event.is_mine ? 'mine' : 'not mine'}`]
          : [],
      );
    return { ...viewer, seen, said };
  };

  it('every view is told who has it, and the input of others is dropped', async () => {
    const [anna, ben] = [await newKey('anna'), await newKey('ben')];
    const [mine, other] = [await view(anna), await view(ben)];
    const { inputs } = fake();
    inputs.length = 0;
    expect([mine.said(), other.said()]).toEqual([['nobody not mine'], ['nobody not mine']]);
    await control('POST', anna);
    await eventually(async () => mine.said().at(-1) === 'anna mine');
    await eventually(async () => other.said().at(-1) === 'anna not mine');
    // A renewal is no news.
    await control('POST', anna);
    other.stream.write(keyEvent('press', 0x61));
    other.stream.write(pointerEvent(5, 5, 1));
    other.socket.send(JSON.stringify({ type: 'clipboard', text: 'not now' }));
    // Its pongs come after its input was read.
    const pong = new Promise((resolve) => other.socket.once('pong', resolve));
    other.socket.ping();
    await pong;
    mine.stream.write(keyEvent('press', 0x62));
    mine.stream.write(keyEvent('release', 0x62));
    await eventually(async () => inputs.includes('release 62'));
    expect(inputs).not.toContain('press 61');
    expect(inputs.join()).not.toContain('5,5');
    const late = await view(ben);
    await eventually(async () => late.said().at(-1) === 'anna not mine');
    await control('DELETE', anna);
    await eventually(async () => other.said().at(-1) === 'nobody not mine');
    expect(mine.said()).toEqual(['nobody not mine', 'anna mine', 'nobody not mine']);
    other.stream.write(keyEvent('press', 0x63));
    other.stream.write(keyEvent('release', 0x63));
    await eventually(async () => inputs.includes('release 63'));
    for (const { seen } of [mine, other, late]) seen.close();
  });

  it('what another viewer held down is released at once, and does not delay the holder', async () => {
    const [anna, ben] = [await newKey('anna'), await newKey('ben')];
    const other = await view(ben);
    const { inputs } = fake();
    inputs.length = 0;
    other.stream.write(pointerEvent(5, 5, 1));
    await eventually(async () => inputs.includes('pointer 5,5 1'));
    await control('POST', anna);
    await call('POST', `/computers/${ids[0]}/click`, { x: 7, y: 7 }, bearer(anna));
    expect(inputs).toEqual(['pointer 5,5 1', 'release all', 'left x1 7,7']);
    await control('DELETE', anna);
    other.seen.close();
  });

  it('what another client left pressed is released', async () => {
    const [anna, ben] = [await newKey('anna'), await newKey('ben')];
    const watching = await view(ben);
    const { inputs } = fake();
    inputs.length = 0;
    await call('POST', `/computers/${ids[0]}/key-down`, { key: 'ctrl' }, bearer(ben));
    await control('POST', anna);
    await eventually(async () => inputs.includes('release all'));
    await call('POST', `/computers/${ids[0]}/key-down`, { key: 'shift' }, bearer(anna));
    await control('DELETE', anna);
    await control('POST', anna);
    expect(inputs).toEqual(['down ctrl', 'release all', 'down shift']);
    await control('DELETE', anna);
    watching.seen.close();
  });

  promise(29, 'changes of control are not queued for a view that does not read', async (report) => {
    const viewer = await view(await newKey('carl'));
    await eventually(async () => viewer.said().length === 1);
    const { control, apiKeys, computers } = world.fleet;
    const owner = apiKeys.authenticate(world.key) ?? { id: 'nobody', keyId: 'none' };
    const record = computers.find(owner, { id: ids[0] ?? '' });
    // In one turn of the event loop, so nothing is read meanwhile.
    for (let count = 0; count < 200; count++) {
      control.take(record, owner, 'force');
      control.release(record.id, owner);
    }
    await eventually(async () => viewer.said().length > 2);
    expect(viewer.said()).toEqual(['nobody not mine', 'default not mine', 'nobody not mine']);
    report('of 400 messages the first and the last');
    viewer.seen.close();
  });
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
