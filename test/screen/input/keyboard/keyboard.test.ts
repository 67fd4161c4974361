import { expect, test } from 'vitest';
import { parseCombination } from '../../../../src/screen/input/keyboard/combination.js';
import { KEYSYMS } from '../../../../src/screen/input/keyboard/keysym-table.js';
import { keysymNamed, keysymOf } from '../../../../src/screen/input/keyboard/keysyms.js';
import { scancodeWriter } from '../../../../src/screen/input/keyboard/scancodes.js';

test('contains every name of the table once, with its number', () => {
  const names = KEYSYMS.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(KEYSYMS.every(([, keysym]) => Number.isInteger(keysym) && keysym > 0)).toBe(true);
  const table = Object.fromEntries(KEYSYMS);
  expect(table).toMatchObject({
    space: 0x20,
    asciitilde: 0x7e,
    nobreakspace: 0xa0,
    ydiaeresis: 0xff,
    Return: 0xff0d,
    F24: 0xffd5,
    KP_9: 0xffb9,
    ISO_Level3_Shift: 0xfe03,
    dead_acute: 0xfe51,
    XF86AudioMute: 0x1008ff12,
    EuroSign: 0x20ac,
  });
});

test.each([
  ['Enter', 0xff0d],
  ['enter', 0xff0d],
  ['RETURN', 0xff0d],
  ['esc', 0xff1b],
  ['Page_Up', 0xff55],
  ['pgup', 0xff55],
  ['PageDown', 0xff56],
  ['ArrowUp', 0xff52],
  ['f5', 0xffc2],
  ['Ctrl', 0xffe3],
  ['cmd', 0xffeb],
  ['win', 0xffeb],
  ['option', 0xffe9],
  ['AltGr', 0xfe03],
  ['hyphen', 0x2d],
  ['plus', 0x2b],
  ['minus', 0x2d],
  ['Space', 0x20],
  [' ', 0x20],
  ['\n', 0xff0d],
  ['Agrave', 0xc0],
  ['agrave', 0xe0],
  ['A', 0x41],
  ['a', 0x61],
  ['é', 0xe9],
  ['Ж', 0x0100_0416],
  ['👍', 0x0101_f44d],
  ['numpad5', 0xffb5],
  ['volumeup', 0x1008ff13],
  ['xf86audiomute', 0x1008ff12],
])('knows the key %j', (name, keysym) => {
  expect(keysymNamed(name)).toBe(keysym);
  expect(parseCombination(name)).toEqual([keysym]);
});

test('maps control characters to the keys that type them', () => {
  expect(['\n', '\r', '\t', '\b', '\x1b', '\x7f'].map(keysymOf)).toEqual([
    0xff0d, 0xff0d, 0xff09, 0xff08, 0xff1b, 0xffff,
  ]);
});

const CTRL = 0xffe3;
const SHIFT = 0xffe1;
test.each([
  ['ctrl+c', [CTRL, 0x63]],
  ['Ctrl+C', [CTRL, 0x63]],
  ['ctrl + alt + Delete', [CTRL, 0xffe9, 0xffff]],
  ['ctrl+shift+t', [CTRL, SHIFT, 0x54]],
  ['shift+1', [SHIFT, 0x21]],
  ['shift+/', [SHIFT, 0x3f]],
  ['shift+Tab', [SHIFT, 0xff09]],
  ['ctrl++', [CTRL, 0x2b]],
  ['+', [0x2b]],
  ['ctrl+plus', [CTRL, 0x2b]],
  ['ctrl+-', [CTRL, 0x2d]],
  ['Ctrl-C', [CTRL, 0x63]],
  ['Control-C', [CTRL, 0x63]],
  ['ctrl-alt-Delete', [CTRL, 0xffe9, 0xffff]],
  ['Shift-Tab', [SHIFT, 0xff09]],
  ['ctrl-shift+t', [CTRL, SHIFT, 0x54]],
  ['ctrl--', [CTRL, 0x2d]],
  ['-', [0x2d]],
  ['e\u0301', [0xe9]],
])('reads the combination %j', (combination, keysyms) => {
  expect(parseCombination(combination)).toEqual(keysyms);
});

test('sends lower-case letters for a shifted key while Caps Lock is on', () => {
  expect(parseCombination('ctrl+shift+t', 'caps-lock')).toEqual([CTRL, SHIFT, 0x74]);
  expect(parseCombination('shift+1', 'caps-lock')).toEqual([SHIFT, 0x21]);
});

test.each([
  ['Entr', 'enter'],
  ['ctrl+Escpae', 'Escape'],
  ['pagup', 'pgup'],
  ['contrl+c', 'control'],
])('suggests what %j was meant to be', (combination, suggestion) => {
  expect(() => parseCombination(combination)).toThrow(
    expect.objectContaining({
      code: 'unknown_key',
      message: expect.stringContaining(`did you mean "${suggestion}"?`),
    }),
  );
});

test.each(['', 'ctrl+', '++c', 'quite something else', '\x03', 'a-b', 'ctrl-', '-c', 'Ctrl-nix'])(
  'rejects %j',
  (text) => {
    expect(() => parseCombination(text)).toThrow(expect.objectContaining({ code: 'unknown_key' }));
  },
);

test('adds Shift once where an emulated keyboard needs it', () => {
  expect(scancodeWriter.resolve([0x41])).toEqual([SHIFT, 0x41]);
  expect(scancodeWriter.resolve([0x61])).toEqual([0x61]);
  expect(scancodeWriter.resolve([CTRL, SHIFT, 0x54])).toEqual([CTRL, SHIFT, 0x54]);
  expect(scancodeWriter.press(0x41).readUInt32BE(8)).toBe(0x1e);
  expect(scancodeWriter.press(0x7e).readUInt32BE(8)).toBe(0x29);
  expect(scancodeWriter.press(0xff52).readUInt32BE(8)).toBe(0xc8);
  expect(scancodeWriter.press(0x3f).readUInt32BE(8)).toBe(0x35);
});

test('rejects a key that an emulated keyboard lacks', () => {
  expect(() => scancodeWriter.resolve([0x0100_0416])).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  );
});
