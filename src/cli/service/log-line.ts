import type { ChalkInstance } from 'chalk';
import { parseJson } from '../../lib/json/parse.js';
import { printable } from '../../lib/text/printable.js';
import { localTime } from '../output/time/relative-time.js';

type Entry = Readonly<Record<string, unknown>>;

/** Names and colours of pino's levels. */
const levels = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
} as const satisfies Record<number, readonly [string, 'dim' | 'green' | 'yellow' | 'red']>;

/**
 * A line of the service's log as a person reads it: local time, level, message and other fields.
 * The date is left out for lines of the day of `now`. A line that is not JSON stays as it is.
 */
export function readableLogLine(line: string, now: Date, chalk: ChalkInstance): string {
  const entry = parseJson(line);
  if (!isEntry(entry) || typeof entry.time !== 'number') return printable(line);
  const { level, time, msg, ...rest } = entry;
  const [name, color] = levels[Number(level) as keyof typeof levels] ?? levels[30];
  const { message, fields } = said(String(msg ?? ''), rest);
  const details = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  const at = timeOfDay(new Date(time), now);
  const parts = [
    chalk.dim(at),
    chalk[color](name.padEnd(5)),
    printable(message),
    chalk.dim(printable(details.join(' '))),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** A line of the log as JSON; one that is not JSON becomes a message without a time. */
export function jsonLogLine(line: string): string {
  if (isEntry(parseJson(line))) return line;
  return JSON.stringify({ level: line.startsWith('error: ') ? 50 : 30, msg: line });
}

/** A request in the words of HTTP; the fields that are left. */
function said(message: string, fields: Entry): { message: string; fields: Entry } {
  const { method, route, status, ms, ...rest } = fields;
  if (message !== 'request' || method === undefined) return { message, fields };
  return { message: `${method} ${route} ${status} ${ms} ms`, fields: rest };
}

function shown(value: unknown): string {
  if (isEntry(value) && typeof value.message === 'string') return JSON.stringify(value.message);
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value) ?? '';
}

function timeOfDay(time: Date, now: Date): string {
  const text = localTime(time);
  return time.toDateString() === now.toDateString() ? text.slice(-8) : text;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
