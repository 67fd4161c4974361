// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of the file
import { describe, expect, it } from 'vitest';
import { substitute } from '../../../src/cli/fleet-file/variables.js';

const variables = { NAME: 'web', EMPTY: '' };

describe('substitute', () => {
  it.each([
    ['a-${NAME}-b', 'a-web-b'],
    ['${EMPTY}', ''],
    ['${NAME:-x}', 'web'],
    ['${EMPTY:-x}', 'x'],
    ['${EMPTY-x}', ''],
    ['${MISSING:-}', ''],
    ['${MISSING-${NAME}s}', 'webs'],
    ['${NAME:+yes}${MISSING:+no}', 'yes'],
    ['$${NAME} $$', '${NAME} $'],
    ['echo $HOME $(id) cost: $5', 'echo $HOME $(id) cost: $5'],
  ])('makes %j to %j', (text, expected) => {
    expect(substitute(text, variables)).toBe(expected);
  });

  it.each([
    ['${MISSING}', 'the variable MISSING is not set; for a default write ${MISSING:-DEFAULT}'],
    ['${EMPTY:?give it}', 'the variable EMPTY is not set: give it'],
    ['${toString}', 'the variable toString is not set; for a default write ${toString:-DEFAULT}'],
    ['${NAME', 'a "${" has no closing "}"'],
    ['${#list[@]}', '${#list[@]} is not a variable; for the text itself write $${'],
  ])('refuses %j', (text, message) => {
    expect(() => substitute(text, variables)).toThrow(message);
  });
});
