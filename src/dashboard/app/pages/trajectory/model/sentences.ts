import type { TrajectoryStep } from '../../../api/types.js';
import { visible } from '../../../state/visible.js';

/** Fields of an action, as far as their types are as expected; a client may have sent anything. */
export type Action = TrajectoryStep['action'];

/** Characters of a text in a sentence. */
const MOST_CHARACTERS = 100;

/** Fields that the sentence contains, or that are shown beside it as a whole. */
const TOLD: readonly string[] = [
  'action',
  'x',
  'y',
  'start_x',
  'start_y',
  'end_x',
  'end_y',
  'path',
  'button',
  'clicks',
  'direction',
  'amount',
  'delta_x',
  'delta_y',
  'key',
  'repeat',
  'text',
  'command',
  'code',
  'text_length',
  'command_length',
  'code_length',
];

/** What an action did, in a sentence without an end. */
export function inWords(action: Action): string {
  const name = String(action.action);
  const words = SENTENCES[name]?.(action) ?? capital(name.replaceAll('_', ' '));
  const keys = Array.isArray(action.keys) ? action.keys.map(String).join('+') : '';
  return visible(keys === '' ? words : `${words} while ${keys} is held`);
}

/** The text that was typed or copied, or the program that was run. */
export function textOf({ text, command, code }: Action): string | undefined {
  const found = text ?? command ?? code;
  return typeof found === 'string' ? found : undefined;
}

/** The other fields with their values. */
export function detailsOf(action: Action): [name: string, value: string][] {
  return Object.entries(action)
    .filter(([name]) => !TOLD.includes(name) && name !== 'keys')
    .map(([name, value]) => [
      name.replaceAll('_', ' '),
      visible(Array.isArray(value) ? value.join(', ') : String(value)),
    ]);
}

/** How a step ended. */
export function outcomeOf({ outcome, action }: TrajectoryStep): string {
  if (outcome === 'ok') return 'done';
  if (outcome !== 'failed') return outcome.replaceAll('_', ' ');
  return action.action === 'exec' ? 'failed, or reached its time limit' : 'reached its time limit';
}

const BUTTONS: Readonly<Record<string, string>> = {
  left: 'click',
  right: 'right-click',
  middle: 'middle-click',
  back: 'click the back button',
  forward: 'click the forward button',
};
const TIMES = ['', '', 'double', 'triple'];

const SENTENCES: Readonly<Record<string, (action: Action) => string>> = {
  click: (action) => {
    const { button, clicks, element } = action;
    const verb = BUTTONS[String(button ?? 'left')] ?? 'click';
    const where = element === undefined ? at(action, 'x', 'y') : ' an element';
    const times = TIMES[Number(clicks)] ?? '';
    const between = times === '' ? '' : verb === 'click' ? '-' : ' ';
    return `${capital(times + between + verb)}${where}`;
  },
  move: (action) => `Move the pointer to ${point(action, 'x', 'y') ?? 'a place'}`,
  drag: (action) => {
    const [from, to] = [point(action, 'start_x', 'start_y'), point(action, 'end_x', 'end_y')];
    return `Drag from ${from ?? 'a place'} to ${to ?? 'another'}`;
  },
  scroll: (action) => {
    const { direction, amount, delta_x = 0, delta_y = 0 } = action;
    const by =
      direction === undefined
        ? `by ${delta_x}, ${delta_y} pixels`
        : `${direction} ${counted(amount, 'step')}`;
    return `Scroll ${by}${at(action, 'x', 'y')}`;
  },
  mouse_down: (action) => `Press the ${action.button ?? 'left'} button${at(action, 'x', 'y')}`,
  mouse_up: (action) => `Release the ${action.button ?? 'left'} button${at(action, 'x', 'y')}`,
  type: (action) => `Type ${quoted(action)}`,
  key: ({ key, repeat }) =>
    `Press ${key ?? 'a key'}${repeat === undefined ? '' : ` ${repeat} times`}`,
  key_down: ({ key }) => `Hold ${key ?? 'a key'}`,
  key_up: ({ key }) => `Release ${key ?? 'a key'}`,
  bash: (action) =>
    `Run ${typeof action.command === 'string' ? short(action.command) : 'a command'}`,
  exec: () => 'Run Python code',
  wait: () => 'Wait for a command',
  set_clipboard: (action) => `Put ${quoted(action)} on the clipboard`,
};

function quoted({ text, text_length }: Action): string {
  if (typeof text === 'string') return `“${short(text)}”`;
  return counted(text_length, 'character');
}

/** The first line, and at most so much of it that a sentence can be read. */
function short(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const isWhole = line === text.trimEnd() && line.length <= MOST_CHARACTERS;
  return isWhole ? line : `${line.slice(0, MOST_CHARACTERS)}…`;
}

function at(action: Action, x: string, y: string): string {
  const found = point(action, x, y);
  return found === undefined ? '' : ` at ${found}`;
}

function point(action: Action, x: string, y: string): string | undefined {
  const [left, top] = [action[x], action[y]];
  return typeof left === 'number' && typeof top === 'number' ? `${left}, ${top}` : undefined;
}

function counted(count: unknown, unit: string): string {
  if (typeof count !== 'number') return `some ${unit}s`;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
