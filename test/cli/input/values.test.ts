import { expect, it } from 'vitest';
import { choice } from '../../../src/cli/framework/define.js';
import { asTexts, factor, inGigabytes } from '../../../src/cli/input/parse.js';
import { RAM_SIZES } from '../../../src/contract/constants.js';

const ram = choice('--ram <gb>', 'memory', asTexts(RAM_SIZES), { also: inGigabytes(RAM_SIZES) });

it.each([
  ['4', '4'],
  ['4g', '4'],
  ['4GB', '4'],
  ['8GiB', '8'],
])('reads %s as %s GB', (text, read) => {
  expect(ram.read(text)).toBe(read);
});

it.each(['constructor', '3', '3GB', '4MB', '4 GB', ''])('refuses %j GB', (text) => {
  expect(() => ram.read(text)).toThrow('must be 2, 4 or 8');
});

it.each([
  ['0.5', 0.5],
  ['50%', 0.5],
  ['100%', 1],
  ['12.5%', 0.125],
])('reads %s as the factor %d', (text, read) => {
  expect(factor(0.05)(text)).toBe(read);
});

it.each(['4%', '101%', '%', '0', '-5%', '50 %'])('refuses the factor %j', (text) => {
  expect(() => factor(0.05)(text)).toThrow('must be a number from 0.05 to 1 (factor)');
});
