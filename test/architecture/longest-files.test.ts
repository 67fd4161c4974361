import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONGEST } from '../support/run/sequencer.js';

it('every file that the tests start first exists', () => {
  const root = new URL('../../', import.meta.url);
  const missing = LONGEST.filter((file) => !existsSync(new URL(file.split(' ')[1] ?? '', root)));
  expect(missing).toEqual([]);
});
