import { expect, it } from 'vitest';
import type { RunTask } from '../../src/dashboard/app/api/types.js';
import { outcomeOf, summary } from '../../src/dashboard/app/pages/runs/outcome.js';

const task = (status: RunTask['status'], computer_id: string | null = null): RunTask => ({
  ...{ name: 'one', status, computer_id, message: '', seconds: null, has_picture: false },
});

it('shows a task whose run has ended without it as interrupted', () => {
  expect(outcomeOf(task('running'))).toBe('interrupted');
  expect(outcomeOf(task('running', 'cmp_1'))).toBe('running');
});

it('says how many tasks of a run have which outcome', () => {
  const tasks = [task('passed'), task('error'), task('running', 'cmp_1'), task('waiting')];
  expect(summary(tasks)).toBe('1 of 4 passed, 1 with errors, 1 running, 1 waiting');
  expect(summary([task('passed')])).toBe('1 of 1 passed');
});
