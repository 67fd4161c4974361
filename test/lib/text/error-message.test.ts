import { expect, it } from 'vitest';
import { errorMessage } from '../../../src/lib/text/error-message.js';

it('gives the message of any caught value', () => {
  expect(errorMessage(new TypeError('no such file'))).toBe('no such file');
  expect(errorMessage('refused')).toBe('refused');
});
