import { ApiError } from '../../contract/errors.js';
import { Keysym, keysymNamed, keysymOf } from './keysyms.js';

/** Characters of the US layout by key: each without and with Shift. */
const UNSHIFTED = "`1234567890-=[]\\;',./";
const SHIFTED = '~!@#$%^&*()_+{}|:"<>?';

/** Modifiers under which a letter means its key, whatever its case, left and right. */
const COMMAND_MODIFIERS: ReadonlySet<number> = new Set(
  ['Control', 'Alt', 'Meta', 'Super', 'Hyper'].flatMap((name) => [
    keysymNamed(`${name}_L`),
    keysymNamed(`${name}_R`),
  ]),
);

/**
 * The keysyms of a combination such as `ctrl+shift+t`, in the order in which they are pressed.
 * Throws ApiError `unknown_key`.
 *
 * With Shift named, a character is that of the shifted key (`shift+1` is `!`): a server that is
 * sent the plain one would let go of Shift to produce it. With Caps Lock on it is the other way
 * round for letters. Under another modifier a capital letter is only its key: people write `Ctrl+C` for what every program calls Control and c.
 */
export function parseCombination(combination: string, lock?: 'caps-lock'): number[] {
  const names = split(combination.normalize('NFC'));
  const keysyms = names.map(keysymNamed);
  const shift = includesShift(keysyms);
  const command = keysyms.some((key) => COMMAND_MODIFIERS.has(key));
  return keysyms.map((keysym) => {
    if (shift) return lock === 'caps-lock' ? lowered(shifted(keysym)) : shifted(keysym);
    return command ? lowered(keysym) : keysym;
  });
}

export function includesShift(keysyms: readonly number[]): boolean {
  return keysyms.includes(Keysym.shiftLeft) || keysyms.includes(Keysym.shiftRight);
}

function split(combination: string): string[] {
  if ([...combination].length === 1) return [combination];
  const text = combination.trim();
  // "+" is both the separator and a key: alone, or behind a separator.
  const plus = text === '+' || text.endsWith('++');
  const rest = plus ? text.slice(0, -2) : text;
  const names = rest === '' ? [] : rest.split('+').map((name) => name.trim());
  if (plus) names.push('+');
  if (names.length === 0 || names.includes('')) {
    throw new ApiError(
      'unknown_key',
      `"${combination}" is no key or combination; write for example "Enter", "ctrl+c" or "ctrl++"`,
    );
  }
  return names;
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
