import { expect, it } from 'vitest';
import { hasHashCollisions } from '../../../src/lib/process/node-version.js';

it.each([
  ['v20.20.1', true],
  ['v20.20.2', false],
  ['v20.21.0', false],
  ['v21.7.3', true],
  ['v22.22.1', true],
  ['v22.22.10', false],
  ['v24.14.1-nightly', false],
  ['v25.8.1', true],
  ['v26.0.0', false],
])('%s: %s', (version, has) => {
  expect(hasHashCollisions(version)).toBe(has);
});
