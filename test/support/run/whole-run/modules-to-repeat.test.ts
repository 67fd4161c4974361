import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { modulesToRepeat } from './modules-to-repeat.js';

const module = (moduleId: string, isOk: boolean) =>
  ({ moduleId, ok: () => isOk }) as unknown as TestModule;
const good = module('/good.test.ts', true);
const bad = module('/bad.test.ts', false);
const testModules = [good, bad];
const error = (path?: string) => ({ message: 'outside', VITEST_TEST_PATH: path });

test('failed files are repeated, and those during which an error came outside of the tests', () => {
  expect(modulesToRepeat({ testModules, unhandledErrors: [] }, 5)).toEqual([bad]);
  const unhandledErrors = [error('/good.test.ts')];
  expect(modulesToRepeat({ testModules, unhandledErrors }, 5)).toEqual([good, bad]);
});

test('nothing is repeated if many files failed, or an error came during no file', () => {
  expect(modulesToRepeat({ testModules: [bad, bad], unhandledErrors: [] }, 1)).toEqual([]);
  expect(modulesToRepeat({ testModules, unhandledErrors: [error()] }, 5)).toEqual([]);
});
