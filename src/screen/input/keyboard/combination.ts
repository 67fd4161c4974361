import { ApiError } from '../../../contract/errors.js';
import { composed } from '../../../lib/text/composed.js';
import { findKeysym, Keysym, keysymNamed, keysymOf } from './keysyms.js';

/** Characters of the US layout without and with Shift, in the same order. */
const UNSHIFTED = "`1234567890-=[]\\;',./";
const SHIFTED = '~!@#$%^&*()_+{}|:"<>?';

/**
 * The keysyms of a combination such as `ctrl+shift+t` or `Ctrl-C`, in the order in which they are
 * pressed.
 * Throws ApiError `unknown_key`.
 *
 * With Shift, a character becomes that of the shifted key (`shift+1` is `!`), because the server
 * would release Shift to type the unshifted one. With Caps Lock on, letters are the reverse. With
 * another modifier a capital letter means its key: `Ctrl+C` is Control and c. `held`: keys that are
 * held down already.
 */
export function parseCombination(
  combination: string,
  lock?: 'caps-lock',
  held: readonly number[] = [],
): number[] {
  const names = split(composed(combination));
  const keysyms = names.map(keysymNamed);
  const shift = includesShift(keysyms) || includesShift(held);
  const command = keysyms.some(isCommandModifier) || held.some(isCommandModifier);
  return keysyms.map((keysym) => {
    if (shift) return lock === 'caps-lock' ? lowered(shifted(keysym)) : shifted(keysym);
    return command ? lowered(keysym) : keysym;
  });
}

/** Control, Meta, Alt, Super and Hyper, left and right (keysymdef.h). */
export function isCommandModifier(keysym: number): boolean {
  return keysym === 0xffe3 || keysym === 0xffe4 || (keysym >= 0xffe7 && keysym <= 0xffee);
}

export function includesShift(keysyms: readonly number[]): boolean {
  return keysyms.includes(Keysym.shiftLeft) || keysyms.includes(Keysym.shiftRight);
}

function split(combination: string): string[] {
  if ([...combination].length === 1) return [combination];
  const text = combination.trim();
  // "+" is both the separator and a key: alone, or after a separator.
  const plus = text === '+' || text.endsWith('++');
  const rest = plus ? text.slice(0, -2) : text;
  const names = rest === '' ? [] : rest.split('+').map((name) => name.trim());
  if (plus) names.push('+');
  const keys = names.flatMap(withoutHyphens);
  if (names.length === 0 || names.includes('')) {
    throw new ApiError('unknown_key', `"${combination}" is not a key or a combination of keys.`, {
      remedy: 'Write for example "Enter", "ctrl+c" or "ctrl++".',
    });
  }
  return keys;
}

/** `Ctrl-C` as many write it: a hyphen after a modifier separates too. */
function withoutHyphens(name: string): string[] {
  const keys: string[] = [];
  let rest = name;
  for (let at = rest.indexOf('-'); at > 0 && at < rest.length - 1; at = rest.indexOf('-')) {
    const keysym = findKeysym(rest.slice(0, at));
    if (keysym === undefined || !(isCommandModifier(keysym) || includesShift([keysym]))) break;
    keys.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...keys, rest];
}

function shifted(keysym: number): number {
  if (keysym < 0x20 || keysym > 0x7e) return keysym;
  const character = String.fromCharCode(keysym);
  const index = UNSHIFTED.indexOf(character);
  return keysymOf(index >= 0 ? (SHIFTED[index] ?? character) : character.toUpperCase());
}

function lowered(keysym: number): number {
  return keysym >= 0x41 && keysym <= 0x5a ? keysym + 0x20 : keysym;
}
