import type { Right } from '../../../contract/access/rights.js';
import type { TrajectoryStep } from '../../../contract/resources.js';
import { isCommand } from '../../../screen/input/keyboard/command.js';

/** Characters of a text that are shown; the files have all of it. */
const MOST_CHARACTERS = 2_000;
/** Entries of a list that are shown: points of a drag, names of keys, variables or secrets. */
const MOST_ENTRIES = 100;
/** What a key that may only look sees, besides points: numbers and words of closed sets. */
const PLAIN: readonly string[] = `
  action x y start_x start_y end_x end_y scale button clicks direction amount delta_x delta_y
  duration repeat hold_ms delay_ms timeout background`
  .trim()
  .split(/\s+/);
/** Texts of which such a key sees the length. */
const MEASURED: readonly string[] = ['text', 'command', 'code'];

type Fields = Record<string, unknown>;

/** A line of the file as a step; undefined for the first and the last line, and one that is damaged. */
export function shownStep(line: string, rights: Right): TrajectoryStep | undefined {
  let value: Fields;
  try {
    value = JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
  if (value.type !== 'step') return undefined;
  const { type: _, action, ...step } = value as Fields & { action: Fields };
  const shown = rights === 'look' ? withoutTexts(action) : shortened(action);
  return { ...(step as Omit<TrajectoryStep, 'action'>), action: shown };
}

function shortened(action: Fields): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(action)) {
    // Values of environment variables are often secrets.
    if (name === 'env') fields.env = Object.keys(value ?? {}).map(short);
    else if (typeof value === 'string') fields[name] = short(value);
    else if (typeof value !== 'object') fields[name] = value;
    if (Array.isArray(value)) fields[name] = value.map(short);
    if (Array.isArray(fields[name])) fields[name] = fields[name].slice(0, MOST_ENTRIES);
  }
  return fields;
}

function short<T>(value: T): T | string {
  if (typeof value !== 'string' || value.length <= MOST_CHARACTERS) return value;
  return `${value.slice(0, MOST_CHARACTERS)}…`;
}

function withoutTexts(action: Fields): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(action)) {
    if (PLAIN.includes(name)) fields[name] = value;
    if (MEASURED.includes(name) && typeof value === 'string') {
      fields[`${name}_length`] = value.length;
    }
  }
  // Of a drag; nothing else has a list of points.
  if (Array.isArray(action.path)) fields.path = action.path.slice(0, MOST_ENTRIES);
  if (typeof action.key === 'string' && isCommand(action.key)) fields.key = action.key;
  return shortened(fields);
}
