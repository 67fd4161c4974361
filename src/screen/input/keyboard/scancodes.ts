import { ApiError } from '../../../contract/errors.js';
import { scancodeEvent } from '../../rfb/messages.js';
import { includesShift } from './combination.js';
import { Keysym, keysymNamed } from './keysyms.js';
import type { KeyWriter } from './writer.js';

/** The US layout: keys in the order of their scancodes (XT set 1), first character without Shift. */
const CHARACTER_KEYS: readonly (readonly [firstScancode: number, keys: string])[] = [
  [0x02, '1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) -_ =+'],
  [0x10, 'qQ wW eE rR tT yY uU iI oO pP [{ ]}'],
  [0x1e, 'aA sS dD fF gG hH jJ kK lL ;: \'" `~'],
  [0x2b, '\\| zZ xX cC vV bB nN mM ,< .> /?'],
];

/** Other keys by X name; 0x80 is added to those that send a prefix of e0. */
const NAMED_KEYS: Readonly<Record<string, number>> = {
  Escape: 0x01,
  BackSpace: 0x0e,
  Tab: 0x0f,
  Return: 0x1c,
  Control_L: 0x1d,
  Shift_L: 0x2a,
  Shift_R: 0x36,
  KP_Multiply: 0x37,
  Alt_L: 0x38,
  space: 0x39,
  Caps_Lock: 0x3a,
  Num_Lock: 0x45,
  Scroll_Lock: 0x46,
  KP_7: 0x47,
  KP_8: 0x48,
  KP_9: 0x49,
  KP_Subtract: 0x4a,
  KP_4: 0x4b,
  KP_5: 0x4c,
  KP_6: 0x4d,
  KP_Add: 0x4e,
  KP_1: 0x4f,
  KP_2: 0x50,
  KP_3: 0x51,
  KP_0: 0x52,
  KP_Decimal: 0x53,
  F11: 0x57,
  F12: 0x58,
  KP_Enter: 0x9c,
  Control_R: 0x9d,
  KP_Divide: 0xb5,
  Print: 0xb7,
  Alt_R: 0xb8,
  ISO_Level3_Shift: 0xb8,
  Pause: 0xc6,
  Home: 0xc7,
  Up: 0xc8,
  Page_Up: 0xc9,
  Left: 0xcb,
  Right: 0xcd,
  End: 0xcf,
  Down: 0xd0,
  Page_Down: 0xd1,
  Insert: 0xd2,
  Delete: 0xd3,
  Super_L: 0xdb,
  Super_R: 0xdc,
  Menu: 0xdd,
  XF86AudioMute: 0xa0,
  XF86AudioPlay: 0xa2,
  XF86AudioStop: 0xa4,
  XF86AudioPrev: 0x90,
  XF86AudioNext: 0x99,
  XF86AudioLowerVolume: 0xae,
  XF86AudioRaiseVolume: 0xb0,
};

interface Key {
  readonly scancode: number;
  readonly shift: boolean;
}

const KEYS = new Map<number, Key>();
for (const [first, keys] of CHARACTER_KEYS) {
  for (const [index, pair] of keys.split(' ').entries()) {
    for (const [level, character] of [...pair].entries()) {
      KEYS.set(character.charCodeAt(0), { scancode: first + index, shift: level === 1 });
    }
  }
}
for (const [name, scancode] of Object.entries(NAMED_KEYS)) {
  KEYS.set(keysymNamed(name), { scancode, shift: false });
}
for (let index = 0; index < 10; index++) {
  KEYS.set(keysymNamed('F1') + index, { scancode: 0x3b + index, shift: false });
}
for (const side of ['L', 'R']) {
  const alt = KEYS.get(keysymNamed(`Alt_${side}`));
  if (alt !== undefined) KEYS.set(keysymNamed(`Meta_${side}`), alt);
}

/** True for a character (one code point) that a key of the US layout types. */
export function onLayout(keysym: number): boolean {
  return KEYS.has(keysym);
}

/**
 * Keys by their position, for a server that emulates a keyboard (QEMU Extended Key Event). Such a
 * server ignores the keysym, so Shift is pressed here. Its queue drops keys that arrive faster
 * than the guest reads them: 40 ms per key is reliable even under emulation.
 */
export const scancodeWriter: KeyWriter = {
  keyIntervalMs: 20,
  resolve(keysyms) {
    const shifted = includesShift(keysyms);
    return keysyms.flatMap((keysym) =>
      keyOf(keysym).shift && !shifted ? [Keysym.shiftLeft, keysym] : [keysym],
    );
  },
  press: (keysym) => scancodeEvent('press', keysym, keyOf(keysym).scancode),
  release: (keysym) => scancodeEvent('release', keysym, keyOf(keysym).scancode),
};

function keyOf(keysym: number): Key {
  const key = KEYS.get(keysym);
  if (key !== undefined) return key;
  throw new ApiError('unsupported', 'This computer has a US keyboard, which has no such key.', {
    remedy: 'Write the text to a file, or pass it to a command.',
  });
}
