import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COSTLY } from '../support/run/costly.js';
import { LONGEST } from '../support/run/sequencer.js';

const isMissing = (file: string) => !existsSync(new URL(`../../${file}`, import.meta.url));

it('every file that the tests start first exists', () => {
  expect(LONGEST.map((file) => file.split(' ')[1] ?? '').filter(isMissing)).toEqual([]);
});

it('every file that only the thorough tier runs exists', () => {
  expect(COSTLY.filter(isMissing)).toEqual([]);
});
