import type { Action } from '../../contract/resources.js';
import { isCommand } from '../../screen/input/keyboard/command.js';

type Value = string | number | boolean;

/** Of an object, in one entry. */
const MOST_NAMES = 10;
/** Of a name given by the client; resource names are shorter. */
const MOST_CHARACTERS = 128;

/** API keys, sessions, tickets and links. */
const SECRET = /^v[a-z]_[0-9a-z]{16,}/i;
/** What names and ids look like. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

/** A name from a path. Of anything else, such as a key or a secret's value, only the length. */
export function nameInPath(value: string): string {
  return NAME.test(value) ? withoutSecret(value) : `(${value.length} characters)`;
}

function withoutSecret(value: string): string {
  return SECRET.test(value) ? `(${value.length} characters)` : value.slice(0, MOST_CHARACTERS);
}

/** Fields that are logged as they are: numbers, settings and names of resources. */
const PLAIN = `
  name x y button double clicks start_x start_y end_x end_y duration direction amount seconds
  until timeout background mode port fps element mark frame marks terminal profile delta_x delta_y repeat
  hold_ms auto_stop_minutes on_idle max_running max_storage force recursive rights project expires_in expires_at protected snapshot memory computer image target no_cache engine timezone locale sudo network public cpu ram resolution`
  .trim()
  .split(/\s+/);
/** Fields of which only the names in them are logged. */
const NAMED = ['labels', 'env'];
/** Fields of which only the length is logged. */
const MEASURED = [
  'text',
  'command',
  'code',
  'path',
  'new_path',
  'dockerfile',
  'args',
  'url',
  'files',
  'setup',
];

/**
 * The logged details of a body or query: coordinates and lengths, never a text. The name of an element
 * that is searched is a text of the screen.
 */
export function describeInput(input: unknown, operation: string): Action['detail'] {
  if (typeof input !== 'object' || input === null) return {};
  const given = input as Readonly<Record<string, unknown>>;
  const detail: Record<string, Value> = {};
  const isSearch = operation === 'findElements';
  if (isSearch && typeof given.name === 'string') detail.name_length = given.name.length;
  for (const name of PLAIN) {
    if (isSearch && name === 'name') continue;
    const value = given[name];
    if (typeof value === 'string') detail[name] = withoutSecret(value);
    else if (isValue(value)) detail[name] = value;
  }
  if (typeof given.network === 'object' && given.network !== null) {
    detail.network = 'allow' in given.network ? 'allow' : 'internet';
    for (const name of ['rate', 'delay'] as const) {
      const value = (given.network as Readonly<Record<string, unknown>>)[name];
      if (isValue(value)) detail[name] = value;
    }
  }
  for (const name of NAMED) {
    const values = given[name];
    if (typeof values === 'object' && values !== null) detail[name] = namesOf(values);
  }
  if (typeof given.resolution === 'object' && given.resolution !== null) {
    const { width, height } = given.resolution as Readonly<Record<string, unknown>>;
    detail.resolution = `${width}x${height}`;
  }
  if (given.max_storage === null) detail.max_storage = 'default';
  if (given.max_running === null) detail.max_running = 'default';
  if (given.auto_stop_minutes === null) detail.auto_stop_minutes = 'never';
  if (given.expires_at === null) detail.expires_at = 'never';
  for (const name of MEASURED) {
    const value = given[name];
    if (typeof value === 'string' || Array.isArray(value)) detail[`${name}_length`] = value.length;
  }
  if (typeof given.key === 'string') {
    if (isCommand(given.key)) detail.key = given.key;
    else detail.key_length = given.key.length;
  }
  return detail;
}

/** The first names of an object. */
function namesOf(values: object): string {
  const names = Object.keys(values);
  const more = names.length > MOST_NAMES ? ' …' : '';
  return names.slice(0, MOST_NAMES).map(withoutSecret).join(' ') + more;
}

function isValue(value: unknown): value is Value {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
