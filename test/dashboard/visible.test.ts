import { expect, it } from 'vitest';
import { visible } from '../../src/dashboard/app/state/visible.js';

it('shows characters that would reverse or hide the text around a name', () => {
  expect(visible('Delete \u202etxt.exe\u2066?')).toBe('Delete \ufffdtxt.exe\ufffd?');
  expect(visible('a\u200bb\ufeff')).toBe('a\ufffdb\ufffd');
  expect(visible('Zürich 東京 שלום 🙂')).toBe('Zürich 東京 שלום 🙂');
});
