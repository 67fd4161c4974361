import { expect, it } from 'vitest';
import { isCommand } from '../../../../src/screen/input/keyboard/command.js';

it.each(
  [
    ['Enter', 'F5', 'shift+Tab', 'Page_Up', 'KP_Enter', 'KP_Home', 'ctrl', 'shift', 'AltGr'],
    ['ctrl+c', 'ctrl+shift+t', 'alt+F4', 'super+l', 'ctrl++', 'VolumeUp', 'ISO_Left_Tab'],
  ].flat(),
)('%s writes nothing', (key) => expect(isCommand(key)).toBe(true));

it.each(
  [
    ['h', 'shift+H', ' ', 'space', 'exclam', 'shift+1', 'Adiaeresis', 'EuroSign', 'ü', '語'],
    ['KP_1', 'num1', 'kp_plus', 'KP_Equal', 'dead_acute', 'AltGr+e', 'Cyrillic_a', 'Enter+h'],
    ['U0041', 'hunter2', '', '+', 'ctrl+h+u+n', 'ctrl+hunter2'],
  ].flat(),
)('%s may be part of a secret', (key) => expect(isCommand(key)).toBe(false));
