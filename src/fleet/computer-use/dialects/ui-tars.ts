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

const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;

function click(button: 'left' | 'right', clicks: number): Read {
  return (args) => [{ does: 'click', at: pointOf(args.start_box), button, clicks }];
}

const members: Readonly<Record<string, Read>> = {
  click: click('left', 1),
  left_double: click('left', 2),
  right_single: click('right', 1),
  drag: (args) => [{ does: 'drag', points: [pointOf(args.start_box), pointOf(args.end_box)] }],
  hotkey: ({ key = '' }) => {
    const isShort = Combination.safeParse(key).success;
    if (!isShort || key.trim() === '') throw new TypeError('key: must be names of keys');
    const keys = key.trim().split(/[\s+]+/);
    return [{ does: 'key', key: keys.join('+') }];
  },
  type: ({ content }) => {
    if (!Text.safeParse(content).success || content === undefined) {
      throw new TypeError('content: must be a text of at most 100,000 characters');
    }
    return [{ does: 'type', text: content }];
  },
  scroll: ({ start_box, direction }) => {
    const known = DIRECTIONS.find((one) => one === direction);
    if (known === undefined) throw new TypeError('direction: must be up, down, left or right');
    const at = start_box === undefined ? undefined : pointOf(start_box);
    return [{ does: 'scroll', at, direction: known, steps: SCROLL_STEPS }];
  },
  wait: () => [{ does: 'wait', seconds: WAIT_SECONDS }],
  finished: () => [],
  call_user: () => [],
};

/** The point of `(x,y)`, or the middle of `(x1,y1,x2,y2)`; brackets and markers vary. */
function pointOf(box: string | undefined): Place {
  const text = box === undefined || box.length > MOST_BOX ? '' : box;
  const numbers = text.match(/-?\d{1,6}(?:\.\d{1,6})?/g)?.map(Number) ?? [];
  const [x1, y1, x2, y2] = numbers;
  if (x1 === undefined || y1 === undefined || numbers.length > 4) {
    throw new TypeError('start_box and end_box: must be points such as (500,500)');
  }
  return x2 === undefined || y2 === undefined
    ? { x: x1, y: y1 }
    : { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
}

/** The actions of the text behind `Action:`, one a line. */
function actionsOfText(text: string): UseCall['actions'] {
  const lines = text
    .slice(text.lastIndexOf('Action:') + 'Action:'.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > MOST_CALLS) return { error: `At most ${MOST_CALLS} actions are allowed.` };
  try {
    return lines.flatMap(actionsOfLine);
  } catch (error) {
    if (error instanceof TypeError) return { error: error.message };
    throw error;
  }
}

function actionsOfLine(line: string): UseAction[] {
  const open = line.indexOf('(');
  const name = line.slice(0, open);
  if (open < 0 || !line.endsWith(')')) throw new TypeError('An action is written as name(…).');
  const read = Object.hasOwn(members, name) ? members[name] : undefined;
  if (read === undefined) {
    throw new TypeError(`There is no action ${JSON.stringify(name.slice(0, 100))}.`);
  }
  return read(argumentsOf(line.slice(open + 1, -1)));
}

/**
 * Arguments as `name='value'`, in which a backslash escapes a character. Each word is tried once,
 * from its beginning: at every character of a long one, this would take forty times as long.
 */
function argumentsOf(text: string): Arguments {
  const found: Record<string, string> = Object.create(null);
  for (const [, name = '', single, double] of text.matchAll(
    /(?<!\w)(\w{1,40})\s?=\s?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/gs,
  )) {
    found[name] = unescaped(single ?? double ?? '');
  }
  return found;
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => ESCAPED[character] ?? character);
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
