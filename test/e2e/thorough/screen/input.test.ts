import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  await desktop.run(
    'xev -geometry 400x300+300+200 -event mouse -event keyboard >> /tmp/xev.log 2>&1 &',
  );
  await desktop.until('xdotool search --name "Event Tester" >/dev/null');
  await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
  origin = await windowOrigin();
});
afterAll(() => desktop.close());

let origin = { x: 0, y: 0 };

async function windowOrigin() {
  const text = await desktop.run('xwininfo -name "Event Tester"');
  const value = (name: string) =>
    Number(new RegExp(`Absolute upper-left ${name}:\\s+(\\d+)`).exec(text)?.[1]);
  return { x: value('X'), y: value('Y') };
}

/** A point in the window, as screen coordinates. */
const at = (x: number, y: number) => ({ x: origin.x + x, y: origin.y + y });
const act = async (action: string, body: object) => {
  const { status, json } = await desktop.service.http(
    'POST',
    `/computers/${desktop.id}/${action}`,
    body,
  );
  expect(json).toEqual({ success: true });
  expect(status).toBe(200);
};
/** Waits until the program has received `count` events of that kind, and returns them. */
const received = (kind: string, count: number) =>
  eventually(async () => {
    const text = await desktop.run("cat /tmp/xev.log; echo -n ''");
    const events = text
      .split('\n\n')
      .map((event) => event.trim())
      .filter((event) => event.startsWith(kind));
    return events.length >= count && events;
  });

beforeEach(async () => {
  await act('move', at(5, 5));
  await desktop.run('sleep 0.1; : > /tmp/xev.log');
});

const field = (event: string | undefined, pattern: RegExp) =>
  Number(pattern.exec(event ?? '')?.[1]);
const button = (event: string | undefined) => field(event, /button (\d+)/);
const time = (event: string | undefined) => field(event, /time (\d+)/);

describe('a program in the computer receives', () => {
  it.each([
    ['left', 1],
    ['middle', 2],
    ['right', 3],
    ['back', 8],
    ['forward', 9],
  ])('a %s click where it was meant', async (name, number) => {
    await act('click', { ...at(120, 80), button: name });
    const [press] = await received('ButtonPress', 1);
    const [release] = await received('ButtonRelease', 1);
    expect([button(press), button(release)]).toEqual([number, number]);
    expect(press).toContain('(120,80)');
  });

  it('a double click, fast enough to be one', async () => {
    await act('click', { ...at(60, 60), double: true });
    const presses = await received('ButtonPress', 2);
    expect(time(presses[1]) - time(presses[0])).toBeLessThan(250);
    expect(presses).toHaveLength(2);
  });

  it('a click with a key held', async () => {
    await act('click', { ...at(60, 60), keys: ['ctrl'] });
    const [press] = await received('ButtonPress', 1);
    expect(press).toMatch(/state 0x4,/);
    await act('click', at(70, 70));
    const presses = await received('ButtonPress', 2);
    expect(presses[1], 'the key was released').toMatch(/state 0x0,/);
  });

  it('a drag: press, motion with the button down, release at the end', async () => {
    const from = at(50, 50);
    const to = at(350, 250);
    await act('drag', {
      start_x: from.x,
      start_y: from.y,
      end_x: to.x,
      end_y: to.y,
      duration: 0.3,
    });
    const [press] = await received('ButtonPress', 1);
    const [release] = await received('ButtonRelease', 1);
    const moves = await received('MotionNotify', 5);
    expect(press).toContain('(50,50)');
    expect(release).toContain('(350,250)');
    expect(moves.filter((move) => move.includes('state 0x100')).length).toBeGreaterThan(4);
    expect(time(release) - time(press)).toBeGreaterThan(200);
  });

  it.each([
    ['up', 4],
    ['down', 5],
    ['left', 6],
    ['right', 7],
  ])('the wheel turned %s', async (direction, number) => {
    await act('scroll', { direction, amount: 2, ...at(90, 90) });
    const presses = await received('ButtonPress', 2);
    expect(presses.map(button)).toEqual([number, number]);
  });

  it('pixels to scroll as steps of the wheel, with a key held', async () => {
    await act('scroll', { delta_x: -130, delta_y: 20, keys: ['shift'], ...at(90, 90) });
    const presses = await received('ButtonPress', 2);
    expect(presses.map(button)).toEqual([5, 6]);
    expect(presses[0]).toContain('state 0x1,');
  });

  it('a held button through movements of others, and its release', async () => {
    await act('mouse-down', at(40, 40));
    await act('move', at(140, 90));
    await act('click', { ...at(150, 90), button: 'right' });
    await act('mouse-up', at(160, 100));
    const [left, right] = await received('ButtonPress', 2);
    const [, release] = await received('ButtonRelease', 2);
    expect([button(left), button(right), button(release)]).toEqual([1, 3, 1]);
    expect(release).toContain('(160,100)');
    const moves = await received('MotionNotify', 2);
    expect(moves.find((move) => move.includes('(140,90)'))).toContain('state 0x100,');
  });

  it('held keys with other keys, typed text as it is, and their release', async () => {
    await act('click', at(30, 30));
    await desktop.run(': > /tmp/xev.log');
    await act('key-down', { key: 'shift' });
    await act('key', { key: 'Left', repeat: 3 });
    await act('key-up', { key: 'shift' });
    const presses = await received('KeyPress', 4);
    const arrows = presses.filter((event) => event.includes(', Left)'));
    expect(arrows).toHaveLength(3);
    for (const arrow of arrows) expect(arrow).toContain('state 0x1,');
    const releases = await received('KeyRelease', presses.length);
    expect(releases.at(-1)).toContain('Shift_L');
  });

  it('the release of what a deleted API key left pressed', async () => {
    const { json } = await desktop.service.http('POST', '/keys', { name: 'holder' });
    await fetch(`${desktop.service.baseUrl}/computers/${desktop.id}/mouse-down`, {
      method: 'POST',
      headers: { authorization: `Bearer ${json.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(at(40, 40)),
    });
    await received('ButtonPress', 1);
    await desktop.service.http('DELETE', `/keys/${json.id}`);
    expect(await received('ButtonRelease', 1)).toHaveLength(1);
  });

  it.each([
    ['Enter', 'Return', '0x0'],
    ['ctrl+c', 'c', '0x4'],
    ['ctrl+shift+t', 'T', '0x5'],
    ['alt+F5', 'F5', '0x8'],
    ['Page_Up', 'Prior', '0x0'],
    ['pgdn', 'Next', '0x0'],
    ['F5', 'F5', '0x0'],
    ['a', 'a', '0x0'],
    ['A', 'A', '0x1'],
    ['+', 'plus', '0x1'],
    ['ESCAPE', 'Escape', '0x0'],
    ['arrowleft', 'Left', '0x0'],
    ['space', 'space', '0x0'],
  ])('the key %s as %s', async (key, keysym, state) => {
    await act('click', at(30, 30));
    await desktop.run(': > /tmp/xev.log');
    await act('key', { key });
    const presses = await eventually(async () => {
      const events = await received('KeyPress', 1);
      return events.some((event) => event.includes(`, ${keysym})`)) && events;
    });
    const press = presses.find((event) => event.includes(`, ${keysym})`));
    expect(press).toContain(`state ${state},`);
    const releases = await received('KeyRelease', presses.length);
    expect(releases, 'everything pressed is released').toHaveLength(presses.length);
  });
});

describe('bad input changes nothing', () => {
  it.each([
    ['click', { x: 1280, y: 0 }, '1280x800'],
    ['click', { x: -1, y: 0 }, '1280x800'],
    ['move', { x: 0, y: 800 }, '1280x800'],
    ['drag', { start_x: 0, start_y: 0, end_x: 5000, end_y: 0 }, '1280x800'],
    ['key', { key: 'ctrl+retrun' }, 'Return'],
    ['key', { key: 'nokeyatall+x' }, 'nokeyatall'],
    ['key', { key: 'a', repeat: 100, hold_ms: 300_000 }, '300000'],
    ['key-down', { key: 'ctrl+retrun' }, 'Return'],
    ['mouse-down', { x: 1280, y: 0 }, '1280x800'],
    ['mouse-down', { x: 5 }, 'x and y'],
    ['scroll', {}, 'direction'],
    ['scroll', { direction: 'up', delta_y: 5 }, 'direction'],
    ['scroll', { delta_y: 20_000 }, '10000'],
  ])('%s %j', async (action, body, message) => {
    const { status, json } = await desktop.service.http(
      'POST',
      `/computers/${desktop.id}/${action}`,
      body,
    );
    expect(status).toBe(400);
    expect(json.error).toContain(message);
    expect(await desktop.run('cat /tmp/xev.log')).not.toContain('Press');
  });

  it('accepts the corners of the screen', async () => {
    for (const [x, y] of [
      [0, 0],
      [1279, 799],
      [0, 799],
      [1279, 0],
    ]) {
      await act('move', { x, y });
      expect(await desktop.run('xdotool getmouselocation')).toContain(`x:${x} y:${y} `);
    }
  });
});
