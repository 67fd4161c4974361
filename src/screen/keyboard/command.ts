import { ApiError } from '../../contract/errors.js';
import { parseCombination } from './combination.js';

/**
 * True for a combination that writes nothing: of keys such as Enter and F5, or with one character
 * under Control, Alt, Meta, Super or Hyper. False for a character, however it is named, for what
 * Shift or AltGr makes of one, and for what is no combination: those can be part of a secret.
 */
export function isCommand(combination: string): boolean {
  let keysyms: readonly number[];
  try {
    keysyms = parseCombination(combination);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
  const written = keysyms.filter((keysym) => !isFunctionKey(keysym)).length;
  return written === 0 || (written === 1 && keysyms.some(isCommandModifier));
}

/** Control, Meta, Alt, Super and Hyper, left and right. */
function isCommandModifier(keysym: number): boolean {
  return keysym === 0xffe3 || keysym === 0xffe4 || (keysym >= 0xffe7 && keysym <= 0xffee);
}

/**
 * Keysyms of the keyboard group 0xff that are no characters of the keypad, and those of
 * multimedia keys (X Window System Protocol, appendix A; XF86keysym.h).
 */
function isFunctionKey(keysym: number): boolean {
  const isKeypadCharacter =
    keysym === 0xff80 || keysym === 0xffbd || (keysym >= 0xffaa && keysym <= 0xffb9);
  if (keysym >= 0xff00 && keysym <= 0xffff) return !isKeypadCharacter;
  // ISO keys such as ISO_Left_Tab and AltGr; dead keys follow at 0xfe50.
  if (keysym >= 0xfe01 && keysym <= 0xfe34) return true;
  return keysym >= 0x1008_0000 && keysym <= 0x1008_ffff;
}
