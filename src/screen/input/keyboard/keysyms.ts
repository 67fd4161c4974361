import { ApiError } from '../../../contract/errors.js';
import { nearest } from '../../../lib/text/nearest.js';
import { KEYSYMS } from './keysym-table.js';

/** Keysyms that the code itself names. */
export const Keysym = {
  backspace: 0xff08,
  tab: 0xff09,
  return: 0xff0d,
  escape: 0xff1b,
  insert: 0xff63,
  delete: 0xffff,
  shiftLeft: 0xffe1,
  shiftRight: 0xffe2,
} as const;

/** Other common names of keys, in lower case, and their X names. */
const ALIASES: Readonly<Record<string, string>> = {
  enter: 'Return',
  ret: 'Return',
  newline: 'Return',
  esc: 'Escape',
  del: 'Delete',
  ins: 'Insert',
  bs: 'BackSpace',
  bksp: 'BackSpace',
  pgup: 'Page_Up',
  pageup: 'Page_Up',
  pgdn: 'Page_Down',
  pgdown: 'Page_Down',
  pagedown: 'Page_Down',
  arrowup: 'Up',
  arrowdown: 'Down',
  arrowleft: 'Left',
  arrowright: 'Right',
  ctrl: 'Control_L',
  control: 'Control_L',
  ctrlleft: 'Control_L',
  controlleft: 'Control_L',
  ctrlright: 'Control_R',
  controlright: 'Control_R',
  shift: 'Shift_L',
  shiftleft: 'Shift_L',
  shiftright: 'Shift_R',
  alt: 'Alt_L',
  altleft: 'Alt_L',
  option: 'Alt_L',
  opt: 'Alt_L',
  altright: 'Alt_R',
  altgr: 'ISO_Level3_Shift',
  altgraph: 'ISO_Level3_Shift',
  cmd: 'Super_L',
  command: 'Super_L',
  super: 'Super_L',
  win: 'Super_L',
  windows: 'Super_L',
  meta: 'Super_L',
  metaleft: 'Super_L',
  metaright: 'Super_R',
  os: 'Super_L',
  hyper: 'Hyper_L',
  caps: 'Caps_Lock',
  capslock: 'Caps_Lock',
  numlock: 'Num_Lock',
  scrolllock: 'Scroll_Lock',
  printscreen: 'Print',
  prtsc: 'Print',
  prtscr: 'Print',
  prtscn: 'Print',
  sysrq: 'Sys_Req',
  contextmenu: 'Menu',
  apps: 'Menu',
  spacebar: 'space',
  hyphen: 'minus',
  dash: 'minus',
  dot: 'period',
  fullstop: 'period',
  tilde: 'asciitilde',
  caret: 'asciicircum',
  pipe: 'bar',
  hash: 'numbersign',
  star: 'asterisk',
  quote: 'apostrophe',
  singlequote: 'apostrophe',
  doublequote: 'quotedbl',
  backtick: 'grave',
  backquote: 'grave',
  exclamation: 'exclam',
  dollarsign: 'dollar',
  euro: 'EuroSign',
  equals: 'equal',
  lessthan: 'less',
  greaterthan: 'greater',
  numpadenter: 'KP_Enter',
  numpadadd: 'KP_Add',
  numpadsubtract: 'KP_Subtract',
  numpadmultiply: 'KP_Multiply',
  numpaddivide: 'KP_Divide',
  numpaddecimal: 'KP_Decimal',
  kp_plus: 'KP_Add',
  kp_minus: 'KP_Subtract',
  volumeup: 'XF86AudioRaiseVolume',
  audiovolumeup: 'XF86AudioRaiseVolume',
  volumedown: 'XF86AudioLowerVolume',
  audiovolumedown: 'XF86AudioLowerVolume',
  mute: 'XF86AudioMute',
  volumemute: 'XF86AudioMute',
  audiovolumemute: 'XF86AudioMute',
  playpause: 'XF86AudioPlay',
  mediaplaypause: 'XF86AudioPlay',
  nexttrack: 'XF86AudioNext',
  mediatracknext: 'XF86AudioNext',
  prevtrack: 'XF86AudioPrev',
  mediatrackprevious: 'XF86AudioPrev',
  browserback: 'XF86Back',
  browserforward: 'XF86Forward',
  browserrefresh: 'XF86Refresh',
  browserhome: 'XF86HomePage',
};

const exact = new Map<string, number>();
const folded = new Map<string, number>();
for (const [name, keysym] of KEYSYMS) {
  exact.set(name, keysym);
  // Of names that differ only in case, such as Agrave and agrave, prefer the lower-case one.
  const key = name.toLowerCase();
  if (!folded.has(key) || name === key) folded.set(key, keysym);
}
const aliases = new Map<string, number>();
for (const [alias, name] of Object.entries(ALIASES)) aliases.set(alias, exact.get(name) ?? 0);
for (let digit = 0; digit <= 9; digit++) {
  for (const pad of [`numpad${digit}`, `num${digit}`, `kp${digit}`]) {
    aliases.set(pad, (exact.get('KP_0') ?? 0) + digit);
  }
}

/**
 * The keysym of a character: its code point for Latin-1, 0x01000000 plus its code point otherwise
 * (X Window System Protocol, appendix A). `character` is one code point.
 */
export function keysymOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point === 0x0a || point === 0x0d) return Keysym.return;
  if (point === 0x09) return Keysym.tab;
  if (point === 0x08) return Keysym.backspace;
  if (point === 0x1b) return Keysym.escape;
  if (point === 0x7f) return Keysym.delete;
  return point <= 0xff ? point : 0x0100_0000 + point;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const UNTYPABLE = /[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x80-\x9f]|\p{Surrogate}/u;

/** The first control character that no key types, or half of a surrogate pair. */
export function findUntypable(text: string): string | undefined {
  return UNTYPABLE.exec(text)?.[0];
}

/**
 * The keysym of a key's name: a single character, an X keysym name or a usual alias, in any
 * case. Throws ApiError `unknown_key` that suggests the nearest name.
 */
export function keysymNamed(name: string): number {
  const keysym = findKeysym(name);
  if (keysym !== undefined) return keysym;
  const suggestion = nearest(name, [...aliases.keys(), ...exact.keys()]);
  const hint = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`;
  const remedy =
    'Use a character, a name such as "Enter" or "F5", or a combination such as "ctrl+c".';
  throw new ApiError('unknown_key', `Unknown key "${name}"${hint}`, { remedy });
}

/** The keysym of a key's name as {@link keysymNamed} takes it; undefined if no key has the name. */
export function findKeysym(name: string): number | undefined {
  if ([...name].length === 1 && findUntypable(name) === undefined) return keysymOf(name);
  const lower = name.toLowerCase();
  // Aliases come first: "hyphen" means a minus, not the soft hyphen of that X name.
  return aliases.get(lower) ?? exact.get(name) ?? folded.get(lower);
}
