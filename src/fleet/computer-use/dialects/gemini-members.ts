import { z } from 'zod';
import { SCROLL_DIRECTIONS } from '../../../contract/constants.js';
import type { UseAction } from '../actions.js';
import { Combination, combine, type Members, member, Seconds, SomeKeys, Text } from './reading.js';

const N = z.number().min(-100_000).max(100_000);
const Point = z.object({ x: N, y: N });
const direction = z.enum(SCROLL_DIRECTIONS);

function click(button: 'left' | 'right' | 'middle', clicks: number) {
  return member(Point, ({ x, y }) => [{ does: 'click', at: { x, y }, button, clicks }]);
}

function button(does: 'mouse_down' | 'mouse_up') {
  return member(Point, ({ x, y }) => [{ does, at: { x, y } }]);
}

const move = member(Point, ({ x, y }) => [{ does: 'move', at: { x, y } }]);
const oneKey = (does: 'key' | 'key_down' | 'key_up') =>
  member(z.object({ key: Combination }), ({ key }): UseAction[] => [{ does, key }]);
const pressed = (key: string) => member(z.object({}), () => [{ does: 'key', key }]);

/** Pixels or thousandths to scroll, by the direction. */
function by(where: (typeof SCROLL_DIRECTIONS)[number], size: number) {
  return {
    x: where === 'left' ? -size : where === 'right' ? size : 0,
    y: where === 'up' ? -size : where === 'down' ? size : 0,
  };
}

/** The functions of the computer use tool, by today's names and the older ones. */
export const members: Members = {
  click: click('left', 1),
  click_at: click('left', 1),
  double_click: click('left', 2),
  triple_click: click('left', 3),
  middle_click: click('middle', 1),
  right_click: click('right', 1),
  mouse_down: button('mouse_down'),
  mouse_up: button('mouse_up'),
  move,
  hover_at: move,
  type: member(z.object({ text: Text, press_enter: z.boolean().default(false) }), (input) => [
    { does: 'type', text: input.text },
    ...enter(input.press_enter),
  ]),
  type_text_at: member(
    Point.extend({
      text: Text,
      press_enter: z.boolean().default(true),
      clear_before_typing: z.boolean().default(true),
    }),
    ({ x, y, text, press_enter, clear_before_typing }): UseAction[] => [
      { does: 'click', at: { x, y }, button: 'left', clicks: 1 },
      ...(clear_before_typing
        ? (['ctrl+a', 'BackSpace'] as const).map((key) => ({ does: 'key', key }) as const)
        : []),
      { does: 'type', text },
      ...enter(press_enter),
    ],
  ),
  drag_and_drop: member(
    z.union([
      z.object({ start_x: N, start_y: N, end_x: N, end_y: N }),
      z
        .object({ x: N, y: N, destination_x: N, destination_y: N })
        .transform(({ x, y, destination_x, destination_y }) => ({
          start_x: x,
          start_y: y,
          end_x: destination_x,
          end_y: destination_y,
        })),
    ]),
    ({ start_x, start_y, end_x, end_y }): UseAction[] => [
      {
        does: 'drag',
        points: [
          { x: start_x, y: start_y },
          { x: end_x, y: end_y },
        ],
      },
    ],
  ),
  wait: member(z.object({ seconds: Seconds.default(1) }), ({ seconds }) => [
    { does: 'wait', seconds },
  ]),
  wait_5_seconds: member(z.object({}), () => [{ does: 'wait', seconds: 5 }]),
  press_key: oneKey('key'),
  key_down: oneKey('key_down'),
  key_up: oneKey('key_up'),
  hotkey: member(z.object({ keys: SomeKeys }), ({ keys }) => [{ does: 'key', key: combine(keys) }]),
  key_combination: member(z.object({ keys: Combination }), ({ keys }) => [
    { does: 'key', key: keys },
  ]),
  take_screenshot: member(z.object({}), () => []),
  scroll: member(
    z.object({
      x: N,
      y: N,
      direction,
      magnitude_in_pixels: z.number().min(1).max(10_000).default(300),
    }),
    (input) => [
      {
        does: 'scroll_by',
        at: { x: input.x, y: input.y },
        ...by(input.direction, input.magnitude_in_pixels),
      },
    ],
  ),
  scroll_at: member(
    z.object({ x: N, y: N, direction, magnitude: z.number().min(1).max(1000).default(800) }),
    (input) => [
      {
        does: 'scroll_by',
        at: { x: input.x, y: input.y },
        unit: 'thousandths',
        ...by(input.direction, input.magnitude),
      },
    ],
  ),
  scroll_document: member(z.object({ direction }), (input) => [
    {
      does: 'scroll_by',
      at: { x: 500, y: 500 },
      unit: 'thousandths',
      ...by(input.direction, 800),
    },
  ]),
  go_back: pressed('alt+Left'),
  go_forward: pressed('alt+Right'),
};

function enter(press: boolean): UseAction[] {
  return press ? [{ does: 'key', key: 'Return' }] : [];
}
