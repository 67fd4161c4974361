import { stdSerializers } from 'pino';

/** Longest text in a line of the log: guests and peers can make errors of any length. */
const MOST_CHARACTERS = 2_000;
/** A message and some frames. */
const MOST_STACK = 4_000;

/** The fields of a log line, with long texts cut. */
export function limitTexts(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, cut(value, MOST_CHARACTERS)]),
  );
}

/** An error for the log, as pino's serializer has it, with long texts cut. */
export function limitError(error: Error): Record<string, unknown> {
  const { type, message, stack, code, status, remedy } = stdSerializers.err(error);
  return {
    type,
    message: cut(message, MOST_CHARACTERS),
    stack: cut(stack, MOST_STACK),
    ...limitTexts({ code, status, remedy }),
  };
}

function cut(value: unknown, most: number): unknown {
  if (typeof value !== 'string' || value.length <= most) return value;
  return `${value.slice(0, most).toWellFormed()}… (${value.length} characters)`;
}
