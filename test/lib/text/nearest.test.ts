import { expect, it } from 'vitest';
import { nearest } from '../../../src/lib/text/nearest.js';

it('finds the nearest candidate by edits, including transpositions, ignoring case', () => {
  expect(nearest('retrun', ['retire', 'Return'])).toBe('Return');
});

it('finds none if all are too different', () => {
  expect(nearest('xyzzy', ['return', 'enter'])).toBeUndefined();
  expect(nearest('q', ['ab', 'x'])).toBeUndefined();
});

it('counts edits of every kind, up to the eight of a long word', () => {
  const word = 'abcdefghijklmnopqrstuvwxyz';
  for (const [candidate, isNear] of [
    [`12345678${word}`, true],
    [`${word}12345678`, true],
    [word.slice(8), true],
    [word.slice(0, -8), true],
    [`1234${word.slice(0, -4)}`, true],
    ['badcfehgjilknmporqtsuvwxyz', false],
    ['badcfehgjilknmpoqrstuvwxyz', true],
    [`123456789${word}`, false],
    [`12345${word.slice(0, -4)}`, false],
  ] as const) {
    expect(nearest(word, [candidate]), candidate).toBe(isNear ? candidate : undefined);
  }
});

it('prefers the nearer of two, in either order', () => {
  expect(nearest('desktop', ['desktops-2', 'desktops'])).toBe('desktops');
  expect(nearest('desktop', ['desktops', 'desktops-2'])).toBe('desktops');
});

it('compares two hundred long names', () => {
  const word = 'a'.repeat(64) + 'b'.repeat(64);
  const names = Array.from({ length: 200 }, (_, index) => 'a'.repeat(64) + 'c'.repeat(60) + index);
  expect(nearest(word, names)).toBeUndefined();
});
