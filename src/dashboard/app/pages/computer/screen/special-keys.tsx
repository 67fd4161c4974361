import { Item, Menu } from '../../../components/menu.js';
import type { Live } from './live.js';

/** Keysyms and codes of the keys below. */
const KEYS = {
  Ctrl: [0xffe3, 'ControlLeft'],
  Alt: [0xffe9, 'AltLeft'],
  Super: [0xffeb, 'MetaLeft'],
  Tab: [0xff09, 'Tab'],
  Esc: [0xff1b, 'Escape'],
  Del: [0xffff, 'Delete'],
  F4: [0xffc1, 'F4'],
  F11: [0xffc8, 'F11'],
  W: [0x77, 'KeyW'],
  T: [0x74, 'KeyT'],
  Print: [0xff61, 'PrintScreen'],
} as const;

/** What browsers and desktops keep for themselves. */
const COMBINATIONS: readonly (readonly (keyof typeof KEYS)[])[] = [
  ['Ctrl', 'Alt', 'Del'],
  ['Ctrl', 'Alt', 'T'],
  ['Alt', 'Tab'],
  ['Alt', 'F4'],
  ['Ctrl', 'W'],
  ['Super'],
  ['Esc'],
  ['Tab'],
  ['F11'],
  ['Print'],
];

/** A menu of keys that the person's own system would take. */
export function SpecialKeys({ live }: { live: Live }) {
  const press = (keys: readonly (keyof typeof KEYS)[]) => {
    const rfb = live.rfb();
    for (const key of keys) rfb?.sendKey(KEYS[key][0], KEYS[key][1], true);
    for (const key of keys.toReversed()) rfb?.sendKey(KEYS[key][0], KEYS[key][1], false);
  };
  return (
    <Menu label="Special keys" icon="keyboard">
      {COMBINATIONS.map((keys) => (
        <Item key={keys.join()} onClick={() => press(keys)}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </Item>
      ))}
    </Menu>
  );
}
