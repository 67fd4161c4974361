// @module-tag slow
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openScreen, type PictureOptions } from '../../src/screen/index.js';
import {
  type FakeOptions,
  FakeServer,
  guestClipboard,
  guestHasClipboard,
  guestWantsClipboard,
  raw,
  rectangle,
  update,
} from './fake-server.js';

const PNG: PictureOptions = { format: 'png', quality: 80, scale: 1, cursor: false };

async function open(options: FakeOptions = {}) {
  const server = new FakeServer(options);
  const screen = await openScreen(server.client);
  await settled();
  server.received.length = 0;
  return { server, screen };
}

async function colourOf(data: Buffer): Promise<number> {
  const pixels = await sharp(data).raw().toBuffer();
  return pixels.readUIntBE(0, 3);
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test('opens with a complete frame', async () => {
  const { screen } = await open({ width: 320, height: 200 });
  expect(screen.size).toEqual({ width: 320, height: 200 });
  expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(0x336699);
});

test('shows everything painted before a screenshot', async () => {
  const { server, screen } = await open();
  for (const colour of [0xff0000, 0x00ff00, 0x0000ff]) {
    server.paint(colour);
    expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(colour);
  }
});

test('ignores an update that was in flight before the request', async () => {
  const { server, screen } = await open();
  server.onMessage = ({ kind }) => {
    if (kind !== 'fence') return;
    server.onMessage = () => {};
    // Sent before the server has received the request: an older frame of the whole screen.
    server.send(update(raw({ x: 0, y: 0, width: 64, height: 48 }, 0x111111)));
  };
  server.paint(0xabcdef);
  expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(0xabcdef);
});

test('requests nothing without watchers', async () => {
  const { server, screen } = await open();
  for (let frame = 0; frame < 50; frame++) server.paint(frame);
  await settled();
  expect(server.received).toEqual([]);
  screen.close();
});

test('emits damage to listeners at no more than thirty frames per second', async () => {
  const { server, screen } = await open();
  let emitted = 0;
  const listener = () => {
    emitted += 1;
  };
  screen.on('damage', listener);
  const painting = setInterval(() => server.paint(Math.floor(Math.random() * 0xffffff)), 1);
  await new Promise((resolve) => setTimeout(resolve, 500));
  screen.off('damage', listener);
  clearInterval(painting);
  expect(emitted).toBeGreaterThan(5);
  expect(emitted).toBeLessThan(20);
  await settled();
  server.received.length = 0;
  server.paint(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.received).toEqual([]);
});

test('reports a new size and a complete frame after a resize', async () => {
  const { server, screen } = await open();
  const sizes: unknown[] = [];
  screen.on('resize', (size) => sizes.push(size));
  const size = { width: 32, height: 24 };
  server.onMessage = ({ kind }) => {
    if (kind !== 'update') return;
    server.onMessage = () => {};
    server.answering = false;
    server.send(update(rectangle({ x: 0, y: 0, ...size }, -223)));
    server.onMessage = (received) => {
      if (received.kind !== 'update' || received.what !== 'whole' || received.region.width !== 32)
        return;
      server.send(update(raw({ x: 0, y: 0, ...size }, 0x00aa00)));
    };
  };
  const { data, width, height } = await screen.screenshot(PNG);
  expect({ width, height }).toEqual(size);
  expect(sizes).toEqual([size]);
  expect(await colourOf(data)).toBe(0x00aa00);
});

test('moves first, then presses and releases', async () => {
  const { server, screen } = await open();
  await screen.click({ x: 0, y: 0, button: 'left', clicks: 1, keys: [] });
  await screen.click({ x: 5.4, y: 6.6, button: 'right', clicks: 1, keys: [] });
  await screen.click({ x: 63, y: 47, button: 'middle', clicks: 2, keys: ['ctrl', 'shift'] });
  expect(server.pointers()).toEqual(
    [
      ['0,0,0', '0,0,1', '0,0,0'],
      ['5,7,0', '5,7,4', '5,7,0'],
      ['63,47,0', '63,47,2', '63,47,0', '63,47,2', '63,47,0'],
    ].flat(),
  );
  expect(server.keys()).toEqual(['+ffe3', '+ffe1', '-ffe1', '-ffe3']);
  expect(screen.pointer).toEqual({ x: 63, y: 47 });
});

test('keeps a button and a key pressed between actions, and releases them at the end', async () => {
  const { server, screen } = await open();
  await screen.press({ button: 'left', at: { x: 1, y: 1 } });
  await screen.move(2, 2);
  await screen.click({ x: 3, y: 3, button: 'right', clicks: 1, keys: [] });
  await screen.keyDown('shift');
  await screen.keyDown('shift');
  await screen.key('a', { repeat: 2 });
  expect(screen.holding).toBe(true);
  await screen.keyUp('shift');
  await screen.keyUp('ctrl');
  await screen.release({ button: 'left' });
  expect(screen.holding).toBe(false);
  expect(server.pointers()).toEqual(
    [['1,1,0', '1,1,1', '2,2,1', '3,3,1', '3,3,5', '3,3,1', '3,3,0']].flat(),
  );
  expect(server.keys()).toEqual(['+ffe1', '+41', '-41', '+41', '-41', '-ffe1']);

  server.received.length = 0;
  await screen.press({ button: 'middle' });
  await screen.keyDown('ctrl');
  screen.close();
  await settled();
  expect([server.pointers().at(-1), server.keys().at(-1)]).toEqual(['3,3,0', '-ffe3']);
});

test('presses the buttons back and forward another way where the server does not read them', async () => {
  const server = new FakeServer();
  const pressed: string[] = [];
  const screen = await openScreen(server.client, {
    extraButtons: async (action, button) => void pressed.push(`${action} ${button}`),
  });
  server.received.length = 0;
  await screen.click({ x: 1, y: 1, button: 'back', clicks: 2, keys: [] });
  await screen.press({ button: 'forward' });
  expect(screen.holding).toBe(true);
  await screen.releaseAll();
  expect(screen.holding).toBe(false);
  expect(pressed).toEqual(['click 8', 'click 8', 'mousedown 9', 'mouseup 9']);
  expect(new Set(server.pointers())).toEqual(new Set(['1,1,0']));
});

test('has the buttons back and forward only where the server reads them', async () => {
  const { server, screen } = await open();
  const click = { x: 1, y: 1, button: 'back', clicks: 1, keys: [] } as const;
  await expect(screen.click(click)).rejects.toMatchObject({ code: 'unsupported' });
  server.send(update(rectangle({ x: 0, y: 0, width: 0, height: 0 }, -316)));
  await settled();
  server.received.length = 0;
  await screen.click(click);
  await screen.click({ ...click, button: 'forward' });
  expect(server.pointers()).toEqual(
    [
      ['1,1,0', '1,1,128', '1,1,0'],
      ['1,1,0', '1,1,256', '1,1,0'],
    ].flat(),
  );
});

test('names the screen size in the error for a point outside', async () => {
  const { server, screen } = await open();
  const outside = expect.objectContaining({
    code: 'off_screen',
    message: expect.stringContaining('64x48'),
  });
  await expect(screen.move(64, 0)).rejects.toEqual(outside);
  await expect(screen.move(-1, 0)).rejects.toEqual(outside);
  const click = { x: 0, y: 48, button: 'left', clicks: 1, keys: ['ctrl'] } as const;
  await expect(screen.click(click)).rejects.toEqual(outside);
  const region = { x: 60, y: 0, width: 5, height: 5 };
  await expect(screen.screenshot({ ...PNG, region })).rejects.toEqual(outside);
  await expect(screen.waitChange({ region, timeoutMs: 100 })).rejects.toEqual(outside);
  expect(server.keys()).toEqual([]);
});

test('drags along a path of many points in the given time', async () => {
  const { server, screen } = await open();
  const points = [
    [0, 0],
    [40, 0],
    [40, 40],
  ] as const;
  await screen.drag({ points, button: 'left', durationMs: 300 });
  const [move, press, ...rest] = server.pointers();
  expect([move, press]).toEqual(['0,0,0', '0,0,1']);
  expect(rest.length).toBeGreaterThan(25);
  expect(rest).toContain('40,0,1');
  expect(rest.at(-2)).toBe('40,40,1');
  expect(rest.at(-1)).toBe('40,40,0');
});

test('scrolls step by step', async () => {
  const { server, screen } = await open();
  await screen.scroll({ direction: 'down', amount: 2, at: { x: 3, y: 4 } });
  await screen.scroll({ direction: 'left', amount: 1 });
  expect(server.pointers()).toEqual(
    [
      ['3,4,0', '3,4,16', '3,4,0', '3,4,16', '3,4,0'],
      ['3,4,0', '3,4,32', '3,4,0'],
    ].flat(),
  );
});

test('releases buttons and keys when a drag or key press is aborted', async () => {
  const { server, screen } = await open();
  const points = [
    [0, 0],
    [40, 40],
  ] as const;
  const soon = () => AbortSignal.timeout(50);
  const timeout = { name: 'TimeoutError' };
  const drag = screen.drag({ points, button: 'left', durationMs: 5000 }, soon());
  await expect(drag).rejects.toMatchObject(timeout);
  await settled();
  expect(server.pointers().at(-1)).toMatch(/,0$/);
  const key = screen.key('ctrl+a', { holdMs: 5000, signal: soon() });
  await expect(key).rejects.toMatchObject(timeout);
  await settled();
  expect(server.keys()).toEqual(['+ffe3', '+61', '-61', '-ffe3']);
  expect(screen.open).toBe(true);
});

test('does nothing after an abort, and nothing for an unknown key', async () => {
  const { server, screen } = await open();
  await expect(screen.type('x', { signal: AbortSignal.abort() })).rejects.toThrow();
  const keys = ['ctrl', 'nonsense'];
  const click = screen.click({ x: 1, y: 1, button: 'left', clicks: 1, keys });
  await expect(click).rejects.toMatchObject({ code: 'unknown_key' });
  expect(server.received).toEqual([]);
});

test('types ASCII as keys', async () => {
  const { server, screen } = await open();
  await screen.type('aB\r\n\t');
  expect(server.keys()).toEqual(['+61', '-61', '+42', '-42', '+ff0d', '-ff0d', '+ff09', '-ff09']);
});

test('pastes other text, and continues only after the program has received it', async () => {
  const { server, screen } = await open();
  const offered: string[] = [];
  server.onMessage = (received) => {
    if (received.kind === 'key' && received.down && received.keysym === 0xff63) {
      setTimeout(() => server.send(guestWantsClipboard), 30);
    }
    if (received.kind === 'clipboard' && received.text !== '') {
      offered.push(received.text);
      server.paint(offered.length);
    }
  };
  await screen.type('x中👍🏽y\nЖ');
  expect(offered).toEqual(['中👍🏽', 'Ж']);
  const order = server.received.flatMap((received) => {
    if (received.kind === 'key' && received.down) return [received.keysym.toString(16)];
    return received.kind === 'clipboard' && received.text !== '' ? [received.text] : [];
  });
  const paste = ['ffe1', 'ff63'];
  expect(order).toEqual(['78', ...paste, '中👍🏽', '79', 'ff0d', ...paste, 'Ж']);
});

test("does not mistake the server's own clipboard request for a program's", async () => {
  const { server, screen } = await open();
  let pressed = false;
  const early: string[] = [];
  server.onMessage = (received) => {
    if (received.kind === 'key' && received.down && received.keysym === 0xff63) {
      pressed = true;
      setTimeout(() => server.send(guestWantsClipboard), 30);
    }
    if (received.kind !== 'clipboard') return;
    if (received.text !== '' && !pressed) early.push(received.text);
    else if (received.flags === ((1 << 27) | 1)) server.send(guestWantsClipboard);
  };
  await screen.type('éa');
  expect(early).toEqual([]);
  const order = server.received.map((received) =>
    received.kind === 'clipboard' ? received.text : received.kind,
  );
  expect(order.lastIndexOf('key')).toBeGreaterThan(order.indexOf('é'));
});

test("restores the guest's clipboard", async () => {
  const { server, screen } = await open();
  let provided = '';
  server.onMessage = (received) => {
    if (received.kind === 'key' && received.down && received.keysym === 0xff63)
      server.send(guestWantsClipboard);
    if (received.kind !== 'clipboard') return;
    if ((received.flags & (1 << 25)) !== 0) server.send(guestClipboard('from the guest'));
    if (received.text !== '') provided = received.text;
  };
  server.send(guestHasClipboard);
  await settled();
  await screen.type('é');
  expect(provided).toBe('é');
  server.send(guestWantsClipboard);
  await settled();
  expect(provided).toBe('from the guest');
});

test('empties the clipboard if it was empty before', async () => {
  const { server, screen } = await open();
  server.onMessage = (received) => {
    if (received.kind === 'key' && received.down && received.keysym === 0xff63)
      server.send(guestWantsClipboard);
  };
  await screen.type('geheim é');
  const last = server.received.findLast((received) => received.kind === 'clipboard');
  expect(last).toMatchObject({ flags: 1 << 27 });
});

test('names the text that it could not type when no program accepts a paste', async () => {
  const { server, screen } = await open();
  const typing = screen.type('Привет, мир');
  await expect(typing).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('Привет'),
  });
  server.received.length = 0;
  await screen.type('é');
  expect(server.keys()).toEqual(['+ffe1', '+ff63', '-ff63', '-ffe1', '+e9', '-e9']);
});

test('types by scancode on an emulated keyboard, and rejects characters it lacks', async () => {
  const { server, screen } = await open({ can: ['scancodes'] });
  await screen.type('A1');
  const codes = server.received.flatMap((received) =>
    received.kind === 'scancode' && received.scancode !== 0
      ? [`${received.down ? '+' : '-'}${received.scancode.toString(16)}`]
      : [],
  );
  expect(codes).toEqual(['+2a', '+1e', '-1e', '-2a', '+2', '-2']);
  server.received.length = 0;
  await expect(screen.type('ab Ж')).rejects.toMatchObject({ code: 'unsupported' });
  expect(server.received).toEqual([]);
});

test('keeps an emulated display awake for every screenshot', async () => {
  const { server, screen } = await open({ can: ['scancodes'] });
  server.paint(0x654321);
  expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(0x654321);
  expect(server.received[0]).toEqual({ kind: 'scancode', down: false, scancode: 0 });
});

test('works with a server without extensions', async () => {
  const { server, screen } = await open({ can: [] });
  server.paint(0x0f0f0f);
  expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(0x0f0f0f);
  await screen.type('ok');
  await settled();
  expect(server.keys()).toEqual(['+6f', '-6f', '+6b', '-6b']);
});

test('waits after an input until the guest has painted its reaction', async () => {
  const { server, screen } = await open();
  server.onMessage = (received) => {
    if (received.kind !== 'key' || !received.down) return;
    setTimeout(() => server.paint(0x222222), 15);
    setTimeout(() => server.paint(0x333333), 30);
  };
  await screen.key('a');
  expect(await colourOf((await screen.screenshot(PNG)).data)).toBe(0x333333);
});

test('waits for stability and for change', async () => {
  const { server, screen } = await open();
  const painting = setInterval(() => server.paint(Math.floor(Math.random() * 0xffffff)), 20);
  expect(await screen.waitStable({ timeoutMs: 600 })).toBe(false);
  expect(await screen.waitChange({ timeoutMs: 600 })).toBe(true);
  clearInterval(painting);
  expect(await screen.waitStable({ timeoutMs: 2000 })).toBe(true);
  expect(await screen.waitChange({ timeoutMs: 100 })).toBe(false);
});

test('waits only for changes in its region', async () => {
  const { server, screen } = await open();
  const region = { x: 0, y: 0, width: 10, height: 10 };
  const dot = setInterval(() => {
    const colour = Math.floor(Math.random() * 0xffffff);
    server.send(update(raw({ x: 30, y: 30, width: 2, height: 2 }, colour)));
  }, 20);
  expect(await screen.waitStable({ region, timeoutMs: 2000 })).toBe(true);
  expect(await screen.waitChange({ region, timeoutMs: 100 })).toBe(false);
  clearInterval(dot);
});

test('does not count repainting identical pixels as a change', async () => {
  const { server, screen } = await open();
  server.paint(0x444444);
  await screen.screenshot(PNG);
  const painting = setInterval(() => server.paint(0x444444), 20);
  expect(await screen.waitChange({ timeoutMs: 200 })).toBe(false);
  expect(await screen.waitStable({ timeoutMs: 2000 })).toBe(true);
  clearInterval(painting);
});

test('rejects every wait when the connection ends', async () => {
  const { server, screen } = await open();
  const closed = new Promise((resolve) => screen.once('close', resolve));
  server.answering = false;
  const waits = [
    screen.screenshot(PNG),
    screen.waitChange({ timeoutMs: 5000 }),
    screen.key('a'),
    screen.type('b'),
  ].map((wait) =>
    wait.then(
      () => undefined,
      (error: Error) => error,
    ),
  );
  server.wire.end();
  for (const error of await Promise.all(waits))
    expect(error).toMatchObject({ code: 'guest_failed' });
  expect(await closed).toMatchObject({ code: 'guest_failed' });
  expect(screen.open).toBe(false);
});

test('closes once, without an error', async () => {
  const { server, screen } = await open();
  const closes: unknown[][] = [];
  screen.on('close', (...args) => closes.push(args));
  const ended = new Promise((resolve) => server.wire.once('end', resolve));
  screen.close();
  screen.close();
  await ended;
  expect(closes).toEqual([[undefined]]);
  await expect(screen.screenshot(PNG)).rejects.toMatchObject({ code: 'guest_failed' });
});

test("an action on a frozen server fails at the caller's deadline", async () => {
  const { server, screen } = await open();
  server.answering = false;
  const soon = () => AbortSignal.timeout(50);
  const timeout = { name: 'TimeoutError' };
  await expect(screen.key('a', { signal: soon() })).rejects.toMatchObject(timeout);
  await expect(screen.screenshot(PNG, soon())).rejects.toMatchObject(timeout);
  expect(screen.open).toBe(true);
});
