import type { Element, Elements } from '../../contract/actions/actions.js';
import { ELEMENT_ID } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { parseJson } from '../../lib/json/parse.js';
import { removeUnsafe } from '../../lib/text/printable.js';
import { ROLES, statesOf } from './roles.js';

/** What the program in the guest keeps to; a guest may not. */
const MOST = { name: 200, value: 1000, action: 40, actions: 8, pixels: 32_768 } as const;

/** Parses the line of the program. Throws ApiError `unsupported` or `guest_failed`. */
export function parseElements(line: string, most: number): Elements {
  const told = parseJson(line);
  if (!isRecord(told)) throw damaged();
  if (told.error === 'none') throw noTree();
  const { elements, truncated } = told;
  if (!Array.isArray(elements) || typeof truncated !== 'boolean') throw damaged();
  return {
    elements: elements.slice(0, most).map(parseRow),
    truncated: truncated || elements.length > most,
  };
}

function parseRow(row: unknown): Element {
  if (!Array.isArray(row)) throw damaged();
  const [id, role, states, name, value, box, actions] = row as readonly unknown[];
  const isValid =
    typeof id === 'string' &&
    ELEMENT_ID.test(id) &&
    isInteger(role, 0, 1e9) &&
    isInteger(states, 0, 2 ** 45) &&
    typeof name === 'string' &&
    (value === null || typeof value === 'string') &&
    isBox(box) &&
    isTexts(actions);
  if (!isValid) throw damaged();
  return {
    id,
    role: ROLES[role] ?? 'unknown',
    name: clean(name, MOST.name),
    ...(value === null ? {} : { value: clean(value, MOST.value, '\n') }),
    states: statesOf(states),
    box,
    actions: actions.slice(0, MOST.actions).map((each) => clean(each, MOST.action)),
  };
}

/** A text without control characters and those that change the direction of others. */
function clean(text: string, most: number, keep?: '\n'): string {
  const lines = text
    .slice(0, 2 * most)
    .split('\n')
    .map(removeUnsafe);
  return lines
    .join(keep ?? ' ')
    .slice(0, most)
    .toWellFormed();
}

function isBox(value: unknown): value is [number, number, number, number] {
  return (
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((each, at) => isInteger(each, at < 2 ? 0 : 1, MOST.pixels))
  );
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** Anything else cannot be shown: an object may have a `toString` that is no function. */
function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The image has no accessibility bus, or no program to ask it. */
export function noTree(): ApiError {
  return new ApiError(
    'unsupported',
    'This computer does not describe the elements of its screen.',
    {
      remedy:
        'Use screenshots, or a new computer with the image linux; if that is older: vc image build linux',
    },
  );
}

function damaged(): ApiError {
  return new ApiError('guest_failed', 'The computer did not list the elements of its screen.');
}
