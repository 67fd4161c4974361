import type { VitestRunner } from '@vitest/runner';
import { inject, TestRunner } from 'vitest';

type Files = Parameters<NonNullable<VitestRunner['onCollected']>>[0];
type Task = Files[number] | Files[number]['tasks'][number];
type ImportFile = Parameters<TestRunner['importFile']>;

/**
 * Skips every test, with the reason, where LXD cannot be started; fails every file if the set-up of
 * the tests went wrong after that.
 */
export default class SkippingRunner extends TestRunner {
  override importFile(...file: ImportFile) {
    const fault = inject('clusterFault');
    if (fault !== '') throw new Error(`the set-up of the test cluster failed: ${fault}`);
    return super.importFile(...file);
  }

  onCollected(files: Files): void {
    const reason = inject('noCluster');
    if (reason === '') return;
    for (const file of files) skip(file, reason);
  }
}

function skip(task: Task, reason: string): void {
  task.mode = 'skip';
  task.meta.skipReason = reason;
  if ('tasks' in task) for (const each of task.tasks) skip(each, reason);
}
