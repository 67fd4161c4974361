import { ApiError } from '../../../contract/errors.js';
import { isCommandModifier, parseCombination } from './combination.js';

/**
 * True for a combination that types no text: keys such as Enter and F5, or one character with
 * Control, Alt, Meta, Super or Hyper. False for a character by any name, also with Shift or AltGr,
 * and for an invalid combination: those can be part of a secret.
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

/**
 * Keysyms of the keyboard group 0xff except characters of the keypad, and those of multimedia
 * keys (X Window System Protocol, appendix A; XF86keysym.h).
 */
function isFunctionKey(keysym: number): boolean {
  const isKeypadCharacter =
    keysym === 0xff80 || keysym === 0xffbd || (keysym >= 0xffaa && keysym <= 0xffb9);
  if (keysym >= 0xff00 && keysym <= 0xffff) return !isKeypadCharacter;
  // ISO keys such as ISO_Left_Tab and AltGr; dead keys follow at 0xfe50.
  if (keysym >= 0xfe01 && keysym <= 0xfe34) return true;
  return keysym >= 0x1008_0000 && keysym <= 0x1008_ffff;
}
