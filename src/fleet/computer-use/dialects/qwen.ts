import { z } from 'zod';
import { isRecord, JsonObject, upTo } from '../../../contract/primitives.js';
import { textBeyond } from '../../../lib/json/bounds.js';
import { parseJson } from '../../../lib/json/parse.js';
import type { Dialect, UseAction, UseCall } from '../actions.js';
import { chatAnswer } from './chat-answer.js';
import {
  actionsOf,
  CallId,
  combine,
  type Members,
  member,
  Pair,
  placeOf,
  readAs,
  Seconds,
  SomeKeys,
  Text,
} from './reading.js';

/** Coordinates are thousandths of the screen, 0 to 1000. */
const UNITS = { last: 1000, whole: 1000 } as const;
const TOOL = 'computer_use';

const at = Pair.nullish();
const pixels = z.number().min(-10_000).max(10_000);

function click(button: 'left' | 'right' | 'middle', clicks: number) {
  return member(z.object({ coordinate: at }), ({ coordinate }) => [
    { does: 'click', at: coordinate ? placeOf(coordinate) : undefined, button, clicks },
  ]);
}

const nothing = member(z.object({}), () => []);

const members: Members = {
  key: member(z.object({ keys: SomeKeys }), ({ keys }) => [{ does: 'key', key: combine(keys) }]),
  type: member(z.object({ text: Text }), ({ text }) => [{ does: 'type', text }]),
  mouse_move: member(z.object({ coordinate: Pair }), ({ coordinate }) => [
    { does: 'move', at: placeOf(coordinate) },
  ]),
  left_click: click('left', 1),
  left_click_drag: member(z.object({ coordinate: Pair }), ({ coordinate }): UseAction[] => [
    { does: 'drag', points: [placeOf(coordinate)] },
  ]),
  right_click: click('right', 1),
  middle_click: click('middle', 1),
  double_click: click('left', 2),
  triple_click: click('left', 3),
  // Positive is up and right, the opposite of the screen's axis for the first.
  scroll: member(z.object({ pixels, coordinate: at }), ({ pixels: up, coordinate }) => [
    { does: 'scroll_by', at: coordinate ? placeOf(coordinate) : undefined, x: 0, y: -up },
  ]),
  hscroll: member(z.object({ pixels, coordinate: at }), ({ pixels: right, coordinate }) => [
    { does: 'scroll_by', at: coordinate ? placeOf(coordinate) : undefined, x: right, y: 0 },
  ]),
  wait: member(z.object({ time: Seconds }), ({ time }) => [{ does: 'wait', seconds: time }]),
  terminate: nothing,
  answer: nothing,
};

const Called = z.object({
  name: z.literal(TOOL),
  arguments: z.union([JsonObject, upTo(200_000)]),
});
const ToolCall = z.object({
  id: CallId,
  type: z.literal('function').optional(),
  function: Called,
});

/** Of JSON in a text of JSON: the arguments of a call have three values. */
const BOUNDS = { levels: 8, values: 1_000, fields: 100, allFields: 200 } as const;

interface Read {
  readonly id: string | undefined;
  readonly args: unknown;
}

/** A call of the chat interface, the function alone, the text of a `<tool_call>`, or the arguments. */
function envelopeOf(item: unknown): Read | undefined {
  const call = readAs(ToolCall, item);
  if (call !== undefined) return { id: call.id, args: parsed(call.function.arguments) };
  const bare = readAs(Called, item);
  if (bare !== undefined) return { id: undefined, args: parsed(bare.arguments) };
  if (typeof item !== 'string') return undefined;
  const text = innerOf(item);
  const inner = text === undefined ? undefined : readAs(Called, parsed(text));
  return inner && { id: undefined, args: parsed(inner.arguments) };
}

const BEGIN = '<tool_call>';
const END = '</tool_call>';

/** The text of the first call. A regular expression would search for its end at each beginning. */
function innerOf(item: string): string | undefined {
  const begin = item.indexOf(BEGIN);
  const end = begin === -1 ? -1 : item.indexOf(END, begin);
  return end === -1 ? undefined : item.slice(begin + BEGIN.length, end);
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return textBeyond(value, BOUNDS) === undefined ? parseJson(value) : undefined;
}

function read(item: unknown): UseCall | undefined {
  const isBare = isRecord(item) && typeof item.action === 'string' && !('type' in item);
  const envelope = envelopeOf(item) ?? (isBare ? { id: undefined, args: item } : undefined);
  if (envelope === undefined) return undefined;
  const { id, args } = envelope;
  const actions = isRecord(args)
    ? actionsOf(members, String(args.action), args)
    : { error: 'The arguments are not a JSON object.' };
  return {
    id,
    actions,
    units: UNITS,
    checks: [],
    showsScreen: true,
    answer: (outcome) => chatAnswer(id, outcome),
  };
}

const property = (type: string, description: string) => ({ type, description });
const parameters = {
  type: 'object',
  required: ['action'],
  properties: {
    action: { ...property('string', 'What to do.'), enum: Object.keys(members) },
    keys: { ...property('array', 'Keys of `key`, pressed together.'), items: { type: 'string' } },
    text: property('string', 'Text of `type` and `answer`.'),
    coordinate: {
      ...property('array', '[x, y] from the top left corner, each from 0 to 1000.'),
      items: { type: 'number' },
    },
    pixels: property('number', 'Pixels of `scroll` and `hscroll`; positive is up and right.'),
    time: property('number', 'Seconds of `wait`.'),
    status: { ...property('string', 'Result of `terminate`.'), enum: ['success', 'failure'] },
  },
};

export const qwenDialect: Dialect = {
  limits: { edge: 4096, patches: 16_384, characters: 15_000_000 },
  recognises: (item) => envelopeOf(item) !== undefined,
  isOther: (item) => isRecord(item) && ['text'].includes(String(item.type)),
  read,
  tools: () => [
    {
      type: 'function',
      function: {
        name: TOOL,
        description: 'Uses the mouse, the keyboard and the screen of a computer.',
        parameters,
      },
    },
  ],
};
