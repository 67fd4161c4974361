import { flag, list, type Raw, value } from '../framework/define.js';
import { nonEmpty, number } from './parse.js';

/** Options of mouse and keyboard actions. */
const settle = flag(
  '--settle',
  'wait until the screen is stable, at most 2 s (longer: vc wait --stable)',
);
/** Undefined unless given: then the request has no such field. */
export const settleOption = { ...settle, read: (raw: Raw) => settle.read(raw) || undefined };
export const scaleOption = value(
  '--scale <factor>',
  'scale of the screenshot that the coordinates refer to',
  number({ min: 0.05, max: 1, unit: 'factor', step: 'any' }),
);

/** Option `--hold` of mouse actions. */
export const holdOption = list(
  '--hold <key>',
  'hold this key meanwhile, for example ctrl; repeatable',
  nonEmpty,
);

/** The field `keys` of the request; undefined without keys. */
export function heldKeys(keys: readonly string[]): string[] | undefined {
  return keys.length > 0 ? [...keys] : undefined;
}
