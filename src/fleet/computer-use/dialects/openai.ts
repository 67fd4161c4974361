import { z } from 'zod';
import { isRecord, JsonObject, quick } from '../../../contract/primitives.js';
import type { Dialect, Facts, Item, Outcome, UseAction, UseCall } from '../actions.js';
import {
  actionsOf,
  CallId,
  combine,
  isPixel,
  Keys,
  listOf,
  type Members,
  member,
  Pixel,
  readAs,
  SomeKeys,
  Text,
} from './reading.js';

/** Seconds of a `wait`, which has no length of its own. */
const WAIT_SECONDS = 2;
const BUTTONS = {
  left: 'left',
  right: 'right',
  wheel: 'middle',
  back: 'back',
  forward: 'forward',
} as const;

const Point = z.object({ x: Pixel, y: Pixel });
/** A point of a drag, which may have thousands. */
const Through = quick<z.output<typeof Point>>(
  (point) => isRecord(point) && isPixel(point.x) && isPixel(point.y),
  Point,
);
const keys = Keys.nullish().transform((value) => value ?? undefined);
const scroll = z.number().min(-10_000).max(10_000);

const members: Members = {
  click: member(
    Point.extend({ button: z.enum(['left', 'right', 'wheel', 'back', 'forward']), keys }),
    ({ x, y, button, keys }) => [
      { does: 'click', at: { x, y }, button: BUTTONS[button], clicks: 1, keys },
    ],
  ),
  double_click: member(Point.extend({ keys }), ({ x, y, keys }) => [
    { does: 'click', at: { x, y }, button: 'left', clicks: 2, keys },
  ]),
  drag: member(
    z.object({
      // The list counts the points before the tuple checks them.
      path: z
        .array(z.unknown())
        .max(1000)
        .pipe(z.tuple([Through], Through)),
      keys,
    }),
    ({ path, keys }): UseAction[] => [{ does: 'drag', points: path, keys }],
  ),
  move: member(Point.extend({ keys }), ({ x, y, keys }) => [{ does: 'move', at: { x, y }, keys }]),
  scroll: member(Point.extend({ scroll_x: scroll, scroll_y: scroll, keys }), (input) => [
    {
      does: 'scroll_by',
      at: { x: input.x, y: input.y },
      keys: input.keys,
      x: input.scroll_x,
      y: input.scroll_y,
    },
  ]),
  keypress: member(z.object({ keys: SomeKeys }), ({ keys }) => [
    { does: 'key', key: combine(keys) },
  ]),
  type: member(z.object({ text: Text }), ({ text }) => [{ does: 'type', text }]),
  wait: member(z.object({}), () => [{ does: 'wait', seconds: WAIT_SECONDS }]),
  screenshot: member(z.object({}), () => []),
};

const Check = z.object({
  id: CallId,
  code: z.string().max(200).nullish(),
  message: z.string().max(10_000).nullish(),
});

const Call = z.object({
  type: z.literal('computer_call'),
  call_id: CallId,
  pending_safety_checks: listOf(Check, 20).nullish(),
  action: JsonObject.nullish(),
  actions: listOf(JsonObject, 100).nullish(),
});

function read(item: unknown): UseCall | undefined {
  const call = readAs(Call, item);
  if (call === undefined) {
    if (!isRecord(item) || typeof item.type !== 'string' || !Object.hasOwn(members, item.type)) {
      return undefined;
    }
    return callOf({ id: undefined, given: [], actions: all([item]) });
  }
  const { call_id: id, action, actions, pending_safety_checks } = call;
  const asked = actions ?? (action ? [action] : []);
  return callOf({ id, given: pending_safety_checks ?? [], actions: all(asked) });
}

/** The actions of a call, or the error of the first that is wrong: then none is carried out. */
function all(list: readonly Readonly<Record<string, unknown>>[]): UseCall['actions'] {
  const found: UseAction[] = [];
  for (const one of list) {
    const actions = actionsOf(members, String(one.type), one);
    if ('error' in actions) return actions;
    found.push(...actions);
  }
  return found;
}

interface Given {
  readonly id: string | undefined;
  readonly given: readonly z.output<typeof Check>[];
  readonly actions: UseCall['actions'];
}

function callOf({ id, given, actions }: Given): UseCall {
  return {
    id,
    actions,
    units: 'pixels',
    showsScreen: true,
    checks: given.map(({ id: check, code, message }) => ({
      id: check,
      code: code ?? undefined,
      message: message ?? undefined,
    })),
    answer: (outcome) => [
      ...(id === undefined ? shown(outcome) : [outputOf(id, given, outcome)]),
      ...told(outcome),
    ],
  };
}

function shown({ picture }: Outcome): Item[] {
  if (picture === undefined) return [];
  return [
    {
      type: 'computer_screenshot',
      image_url: `data:${picture.mediaType};base64,${picture.data}`,
      detail: 'original',
    },
  ];
}

function outputOf(id: string, given: Given['given'], outcome: Outcome): Item {
  const [output] = shown(outcome);
  return {
    type: 'computer_call_output',
    call_id: id,
    ...(given.length > 0 ? { acknowledged_safety_checks: given } : {}),
    output: output ?? { type: 'computer_screenshot', image_url: NO_PICTURE },
  };
}

/** A PNG of one transparent pixel, where the screen could not be captured. */
const NO_PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A result has no place for an error or a notice, so a message with it follows. */
function told({ state, text, notice }: Outcome): Item[] {
  if (state === 'done' && notice === undefined) return [];
  const reason = state === 'done' ? notice : text;
  const why = state === 'skipped' ? 'Not executed: an earlier call in this turn failed.' : reason;
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: why ?? '' }] }];
}

const OTHERS: readonly unknown[] = ['reasoning', 'message'];
const shared = {
  limits: { edge: 6000, patches: 10_000, characters: 15_000_000 },
  recognises: (item: unknown) => isRecord(item) && item.type === 'computer_call',
  isOther: (item: unknown) => isRecord(item) && OTHERS.includes(item.type),
  read,
};

export const openaiDialects = {
  openai: { ...shared, tools: () => [{ type: 'computer' }] },
  'openai-preview': {
    ...shared,
    tools: ({ picture, os }: Facts) => [
      {
        type: 'computer_use_preview',
        display_width: picture.width,
        display_height: picture.height,
        environment: os,
      },
    ],
  },
} satisfies Record<string, Dialect>;
