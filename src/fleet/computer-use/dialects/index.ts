import type { DIALECTS } from '../../../contract/constants.js';
import { MAX_TURN_TEXT } from '../../../contract/constants.js';
import { ApiError } from '../../../contract/errors.js';
import type { Dialect, UseCall } from '../actions.js';
import { anthropicDialects } from './anthropic.js';
import { geminiDialects } from './gemini.js';
import { openaiDialects } from './openai.js';
import { qwenDialect } from './qwen.js';
import { charactersOf } from './reading.js';
import { uiTarsDialect } from './ui-tars.js';

export type DialectName = (typeof DIALECTS)[number];

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  ...anthropicDialects,
  ...openaiDialects,
  ...geminiDialects,
  qwen: qwenDialect,
  'ui-tars': uiTarsDialect,
};

/** The calls of a turn, and the dialect they are in. */
export interface Turn {
  readonly dialect: Dialect;
  readonly calls: readonly UseCall[];
}

/**
 * Reads the items of a turn. The dialect follows from the first call's envelope unless it is named.
 * Throws ApiError `invalid_request` for an item that is no call, for calls of several dialects, and
 * for texts that are too long in all.
 */
export function readTurn(items: readonly unknown[], name: DialectName | undefined): Turn {
  const dialect = name === undefined ? recognise(items) : dialects[name];
  let characters = 0;
  const calls = items.flatMap((item, index): UseCall[] => {
    if (dialect.isOther(item)) return [];
    characters += charactersOf(item);
    if (characters > MAX_TURN_TEXT) throw tooMuchText();
    const call = dialect.read(item);
    if (call !== undefined) return [call];
    throw new ApiError('invalid_request', `items.${index}: is no call of this tool.`, {
      remedy: 'Send the calls as the model wrote them, and those of other tools elsewhere.',
    });
  });
  const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (new Set(ids).size === ids.length) return { dialect, calls };
  throw new ApiError('invalid_request', 'items: two calls have the same id.');
}

function tooMuchText(): ApiError {
  const most = MAX_TURN_TEXT.toLocaleString('en');
  const message = `items: have more than ${most} characters of text in all.`;
  return new ApiError('invalid_request', message, { remedy: 'Send only the calls of the turn.' });
}

function recognise(items: readonly unknown[]): Dialect {
  for (const item of items) {
    const found = Object.values(dialects).find((dialect) => dialect.recognises(item));
    if (found !== undefined) return found;
  }
  throw new ApiError('invalid_request', 'items: no item is in the envelope of a dialect.', {
    remedy: `Send the calls as the model wrote them, or set dialect: ${Object.keys(dialects).join(', ')}.`,
  });
}
