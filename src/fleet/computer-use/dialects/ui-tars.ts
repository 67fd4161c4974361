import { MAX_TURN_TEXT } from '../../../contract/constants.js';
import type { Dialect, Place, UseAction, UseCall } from '../actions.js';
import { chatAnswer } from './chat-answer.js';
import { Combination, Text, textOf } from './reading.js';

/** Coordinates are thousandths of the screen, 0 to 1000. */
const UNITS = { last: 1000, whole: 1000 } as const;
/** Seconds of `wait()`, which has no length of its own. */
const WAIT_SECONDS = 5;
/** Steps of the wheel of `scroll`, which has no length of its own. */
const SCROLL_STEPS = 5;
const MOST_CALLS = 20;
/** Characters of a point at most. */
const MOST_BOX = 200;

type Arguments = Readonly<Record<string, string>>;
type Read = (args: Arguments) => UseAction[];

const UNESCAPED =
  "content: write one argument, with \\' for each quote and \\n for each line break in it";

const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;

function click(button: 'left' | 'right', clicks: number): Read {
  return (args) => [{ does: 'click', at: pointOf(startOf(args)), button, clicks }];
}

const members: Readonly<Record<string, Read>> = {
  click: click('left', 1),
  left_double: click('left', 2),
  right_single: click('right', 1),
  drag: (args) => [
    { does: 'drag', points: [pointOf(startOf(args)), pointOf(args.end_box ?? args.end_point)] },
  ],
  hotkey: ({ key = '' }) => {
    const isShort = Combination.safeParse(key).success;
    if (!isShort || key.trim() === '') throw new TypeError('key: must be names of keys');
    const keys = key.trim().split(/[\s+]+/);
    return [{ does: 'key', key: keys.join('+') }];
  },
  type: ({ content, ...others }) => {
    // A part of the text, with quotes that were not escaped.
    if (Object.keys(others).length > 0) throw new TypeError(UNESCAPED);
    if (!Text.safeParse(content).success || content === undefined) {
      throw new TypeError('content: must be a text of at most 100,000 characters');
    }
    return [{ does: 'type', text: content }];
  },
  scroll: (args) => {
    const known = DIRECTIONS.find((one) => one === args.direction);
    if (known === undefined) throw new TypeError('direction: must be up, down, left or right');
    const start = startOf(args);
    const at = start === undefined ? undefined : pointOf(start);
    return [{ does: 'scroll', at, direction: known, steps: SCROLL_STEPS }];
  },
  wait: () => [{ does: 'wait', seconds: WAIT_SECONDS }],
  finished: () => [],
  call_user: () => [],
};

/** The first point of a call; its name depends on the version of the model. */
function startOf({ start_box, start_point, point }: Arguments): string | undefined {
  return start_box ?? start_point ?? point;
}

/**
 * The point of `(x,y)` or `<point>x y</point>`, or the middle of `(x1,y1,x2,y2)`; brackets and markers
 * vary.
 */
function pointOf(box: string | undefined): Place {
  const bare = box === undefined || box.length > MOST_BOX ? '' : box.replaceAll(/<[^<>]*>/g, ' ');
  const numbers =
    (/^[\d\s.,()[\]-]*$/.test(bare) ? bare : '').match(/-?\d{1,6}(?:\.\d{1,6})?/g)?.map(Number) ??
    [];
  const [x1, y1, x2, y2] = numbers;
  if (x1 === undefined || y1 === undefined || numbers.length > 4) {
    throw new TypeError('start_box, end_box and point: must be points such as (500,500)');
  }
  return x2 === undefined || y2 === undefined
    ? { x: x1, y: y1 }
    : { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
}

/** The actions of the text behind `Action:`, one a line. All of the text has to be read. */
function actionsOfText(text: string): UseCall['actions'] {
  // At the beginning of a line it is neither part of a thought nor of a text to type.
  const label = /(?:^|\n)[^\S\n]*Action:/.exec(text) ?? /Action:/.exec(text);
  const calls = text.slice((label?.index ?? 0) + (label?.[0].length ?? 0));
  try {
    const actions: UseAction[] = [];
    let count = 0;
    for (let at = after(SPACE, calls, 0); at < calls.length; count += 1) {
      if (count === MOST_CALLS) return { error: `At most ${MOST_CALLS} actions are allowed.` };
      const call = readCall(calls, at);
      actions.push(...call.actions);
      at = after(SPACE, calls, call.end);
    }
    return actions;
  } catch (error) {
    if (error instanceof TypeError) return { error: error.message };
    throw error;
  }
}

/* Each is tried at one place, so that a long text is read in one pass. */
const SPACE = /\s*/y;
const NAME = /(\w{1,40})\s*\(\s*/y;
const ARGUMENT = /(\w{1,40})\s*=\s*(['"])/y;
const COMMA = /\s*,\s*/y;
const CLOSE = /\s*\)[^\S\n]*(?=\n|$)/y;
/** What follows the quote that ends a value; other quotes belong to the value. */
const END_OF_VALUE = /\s*(?:,\s*\w{1,40}\s*=\s*['"]|\)[^\S\n]*(?:\n|$))/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The place behind a pattern, which is `at` where it does not match. */
function after(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}

/** The call at a place of the text, and where it ends. */
function readCall(text: string, from: number): { actions: UseAction[]; end: number } {
  const name = matchAt(NAME, text, from);
  if (name === undefined) throw new TypeError(MALFORMED);
  const args: Record<string, string> = Object.create(null);
  let at = from + name[0].length;
  for (let argument = matchAt(ARGUMENT, text, at); argument !== undefined; ) {
    const [{ length }, key = '', quote = ''] = argument;
    const end = endOfValue(text, at + length, quote);
    if (key in args) throw new TypeError(`${key}: is there twice`);
    args[key] = unescaped(text.slice(at + length, end));
    at = end + 1;
    const next = after(COMMA, text, at);
    argument = next === at ? undefined : matchAt(ARGUMENT, text, next);
    if (argument !== undefined) at = next;
  }
  const close = matchAt(CLOSE, text, at);
  if (close === undefined) throw new TypeError(MALFORMED);
  const read = Object.hasOwn(members, name[1] ?? '') ? members[name[1] ?? ''] : undefined;
  if (read === undefined) throw new TypeError(`There is no action ${JSON.stringify(name[1])}.`);
  return { actions: read(args), end: at + close[0].length };
}

const MALFORMED =
  "An action is written in a line of its own as name(argument='value'), with \\' for a quote in a value.";

/** The place of the quote that ends a value. A backslash escapes a character. */
function endOfValue(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote && matchAt(END_OF_VALUE, text, at + 1) !== undefined) return at;
  }
  throw new TypeError(MALFORMED);
}

/** Other characters keep their backslash, as in Python: `C:\Users`. */
const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (both, character: string) => ESCAPED[character] ?? both);
}

function read(item: unknown): UseCall | undefined {
  const text = textOf(item);
  if (text === undefined || text.length > MAX_TURN_TEXT || !text.includes('Action:'))
    return undefined;
  return {
    id: undefined,
    actions: actionsOfText(text),
    units: UNITS,
    checks: [],
    showsScreen: true,
    answer: (outcome) => chatAnswer(undefined, outcome),
  };
}

/** What its prompt lists as the action space. */
const PROMPT = [
  "click(start_box='(x,y)')",
  "left_double(start_box='(x,y)')",
  "right_single(start_box='(x,y)')",
  "drag(start_box='(x,y)', end_box='(x,y)')",
  "hotkey(key='ctrl c')",
  "type(content='text', with \\n at its end to submit it)",
  "scroll(start_box='(x,y)', direction='down or up or right or left')",
  'wait()',
  "finished(content='result')",
  'call_user()',
].join('\n');

export const uiTarsDialect: Dialect = {
  limits: { edge: 4096, patches: 16_384, characters: 15_000_000 },
  // Plain text, which any model writes.
  recognises: () => false,
  isOther: () => false,
  read,
  tools: () => [{ type: 'text', text: PROMPT }],
};
