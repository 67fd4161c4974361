import { expect, it } from 'vitest';
import { masker, StreamMask } from '../../../src/cli/run/mask.js';

it('masks secrets, the longest first', () => {
  expect(masker(['key', 'key-long'])('a key-long and a key')).toBe('a *** and a ***');
});

it('masks a secret that arrives in pieces, and loses nothing else', () => {
  const mask = new StreamMask(['secret']);
  const written = ['its sec', 'r', 'et! secre', 't and secre'].map((text) => mask.push(text));
  expect(written.join('') + mask.end()).toBe('its ***! *** and secre');
});
