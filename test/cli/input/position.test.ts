import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  world.service.handleOthers((_, response) => response.end('{"success":true}'));
});
afterAll(() => world.close());

const run = (line: string) => world.run(line.split('|'));
const drag = { start_x: 1, start_y: 2, end_x: 3, end_y: 4 };

test.each([
  ['click|a/b|640|400', { x: 640, y: 400 }],
  ['click|a/b|640,400', { x: 640, y: 400 }],
  ['click|a/b|640, 400', { x: 640, y: 400 }],
  ['click|a/b|640,|400', { x: 640, y: 400 }],
  ['click|a/b|0,0.5|--double', { x: 0, y: 0.5, double: true }],
  ['click|--double|a/b|0|0', { x: 0, y: 0, double: true }],
  ['move|a/b|10,20', { x: 10, y: 20 }],
  ['move|a/b|10|20', { x: 10, y: 20 }],
  ['drag|a/b|1|2|3|4', drag],
  ['drag|a/b|1,2|3,4', drag],
  ['drag|a/b|1,2|3|4', drag],
  ['scroll|a/b|down', { direction: 'down' }],
  ['scroll|a/b|down|5', { direction: 'down', amount: 5 }],
  ['scroll|a/b|down|640,400', { direction: 'down', x: 640, y: 400 }],
  ['scroll|a/b|down|640|400', { direction: 'down', x: 640, y: 400 }],
  ['scroll|a/b|down|5|640,400', { direction: 'down', amount: 5, x: 640, y: 400 }],
  ['scroll|a/b|down|5|640|400', { direction: 'down', amount: 5, x: 640, y: 400 }],
  ['scroll|a/b|down|5|--at|640,400', { direction: 'down', amount: 5, x: 640, y: 400 }],
  ['scroll|a/b|down|--at|640 400', { direction: 'down', x: 640, y: 400 }],
])('vc %s', async (line, body) => {
  const { code, stderr } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(world.service.received.at(-1)?.body).toEqual(body);
});

describe('a wrong position is a usage error, and no request is sent', () => {
  test.each([
    ['click|a/b|640', 'POSITION: must be X Y or X,Y in pixels, not "640"'],
    ['click|a/b|640|400|7', 'POSITION: must be X Y or X,Y in pixels, not "640 400 7"'],
    ['click|a/b|640,', 'POSITION: must be a number from 0 to 10000 (pixels), not ""'],
    ['click|a/b|640x400', 'POSITION: must be X Y or X,Y'],
    ['click|a/b|left|1', 'POSITION: must be a number from 0 to 10000 (pixels), not "left"'],
    ['click|a/b|1|10001', 'not "10001"'],
    ['click|a/b|', 'POSITION: must be X Y or X,Y in pixels, not ""'],
    ['click|a/b', 'either a position X Y, --element, --text or --mark is needed'],
    ['move|a/b', 'either a position X Y or --text is needed'],
    ['move|a/b|1|2|--text|OK', 'either a position X Y or --text is needed'],
    ['move|a/b|1;2', 'POSITION: must be X Y or X,Y'],
    ['drag|a/b|1,2', 'POSITIONS: must be X Y X Y or X,Y X,Y in pixels, not "1,2"'],
    ['drag|a/b|1|2|3|4|5', 'POSITIONS: must be'],
    ['drag|a/b|1|2|3|y', 'not "y"'],
    ['scroll|a/b|down|0', 'must be a whole number from 1 to 100 (steps), not "0"'],
    ['scroll|a/b|down|101|1,2', 'not "101"'],
    ['scroll|a/b|down|1|2|3|4', 'must be STEPS and X,Y in pixels, not "1 2 3 4"'],
    ['scroll|a/b|down|1,2|--at|3,4', 'two positions given'],
    ['scroll|a/b|down|--at|3', '--at: must be X,Y in pixels, such as 640,400, not "3"'],
  ])('vc %s', async (line, message) => {
    const before = world.service.received.length;
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(world.service.received.length).toBe(before);
  });
});
