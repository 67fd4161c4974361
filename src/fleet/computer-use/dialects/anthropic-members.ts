import { z } from 'zod';
import { SCROLL_DIRECTIONS } from '../../../contract/constants.js';
import { upTo } from '../../../contract/primitives.js';
import type { UseAction } from '../actions.js';
import {
  Combination,
  type Members,
  member,
  Pair,
  Pixel,
  placeOf,
  Seconds,
  Text,
} from './reading.js';

const at = Pair.nullish();
const text = Combination.nullish();

function click(button: 'left' | 'right' | 'middle', clicks: number) {
  return member(z.object({ coordinate: at, text }), (input) => [
    {
      does: 'click',
      button,
      clicks,
      at: input.coordinate ? placeOf(input.coordinate) : undefined,
      keys: input.text ? [input.text] : undefined,
    },
  ]);
}

const empty = z.object({});

/** Members of the version of October 2024. */
export const first = {
  key: member(
    z.object({ text: z.string().min(1).max(1000), repeat: z.int().min(1).max(100).nullish() }),
    (input) =>
      // xdotool takes several combinations with spaces between.
      (input.text.trim() === '' ? [input.text] : input.text.trim().split(/\s+/)).map((key) => ({
        does: 'key',
        key,
        repeat: input.repeat ?? undefined,
      })),
  ),
  type: member(z.object({ text: Text }), (input) => [{ does: 'type', text: input.text }]),
  mouse_move: member(z.object({ coordinate: Pair, text }), (input) => [
    { does: 'move', at: placeOf(input.coordinate), keys: input.text ? [input.text] : undefined },
  ]),
  left_click: click('left', 1),
  right_click: click('right', 1),
  middle_click: click('middle', 1),
  double_click: click('left', 2),
  left_click_drag: member(
    z.object({ start_coordinate: at, coordinate: Pair, text }),
    (input): UseAction[] => {
      const end = placeOf(input.coordinate);
      const start = input.start_coordinate;
      const points = start ? ([placeOf(start), end] as const) : ([end] as const);
      return [{ does: 'drag', points, keys: input.text ? [input.text] : undefined }];
    },
  ),
  screenshot: member(empty, () => [{ does: 'screenshot' }]),
  cursor_position: member(empty, () => [{ does: 'cursor' }]),
} satisfies Members;

/** Those of January 2025. */
export const second = {
  ...first,
  left_mouse_down: member(empty, () => [{ does: 'mouse_down' }]),
  left_mouse_up: member(empty, () => [{ does: 'mouse_up' }]),
  triple_click: click('left', 3),
  hold_key: member(z.object({ text: Combination, duration: Seconds }), (input) => [
    { does: 'key', key: input.text, seconds: input.duration },
  ]),
  wait: member(z.object({ duration: Seconds }), (input) => [
    { does: 'wait', seconds: input.duration },
  ]),
  scroll: member(
    z.object({
      scroll_direction: z.enum(SCROLL_DIRECTIONS),
      scroll_amount: z.int().min(0).max(100),
      coordinate: at,
      text,
    }),
    (input) => [
      {
        does: 'scroll',
        direction: input.scroll_direction,
        steps: input.scroll_amount,
        at: input.coordinate ? placeOf(input.coordinate) : undefined,
        keys: input.text ? [input.text] : undefined,
      },
    ],
  ),
} satisfies Members;

/** Those of November 2025, and of the toolset. */
export const third = {
  ...second,
  zoom: member(z.object({ region: z.tuple([Pixel, Pixel, Pixel, Pixel]) }), ({ region }) => {
    const [x0, y0, x1, y1] = region;
    return [{ does: 'zoom', from: { x: x0, y: y0 }, to: { x: x1, y: y1 } }];
  }),
} satisfies Members;

const path = upTo(4096).min(1);
const line = z.int().min(-1).max(1_000_000);
const lines = z.tuple([line, line]).nullish();
const editor = {
  view: z.object({ command: z.literal('view'), path, view_range: lines }),
  create: z.object({ command: z.literal('create'), path, file_text: upTo(400_000) }),
  str_replace: z.object({
    command: z.literal('str_replace'),
    path,
    old_str: upTo(200_000).min(1),
    new_str: upTo(200_000).nullish(),
  }),
  insert: z.object({
    command: z.literal('insert'),
    path,
    insert_line: z.int().min(0).max(10_000_000),
    insert_text: upTo(200_000),
  }),
};

/** The tools besides the computer. */
export const tools: Members = {
  bash: member(
    z
      .object({
        command: upTo(200_000).min(1).optional(),
        restart: z.boolean().optional(),
      })
      .refine((input) => input.command !== undefined || input.restart, 'needs a command'),
    ({ command, restart }): UseAction[] =>
      // Each command has a shell of its own, so there is nothing to restart.
      restart || command === undefined ? [] : [{ does: 'bash', command }],
  ),
  str_replace_based_edit_tool: member(
    z.discriminatedUnion('command', [
      ...([editor.view, editor.create, editor.str_replace, editor.insert] as const),
    ]),
    (edit): UseAction[] => [{ does: 'edit', edit: withoutNull(edit) }],
  ),
};

function withoutNull<T extends object>(value: T) {
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}
