import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The end-to-end files that take longest, the longest first. They start first, so that no worker
 * runs one of them while the others have nothing left to do. A run prints its ten slowest files.
 */
export const LONGEST: readonly string[] = [
  'qemu test/e2e/operations/surfaces.test.ts',
  'qemu test/e2e/operations/desktop.test.ts',
  'qemu test/e2e/qemu/imported/machine.test.ts',
  'qemu test/e2e/qemu/users.test.ts',
  'qemu test/e2e/qemu/disk-full.test.ts',
  'qemu test/e2e/qemu/fork.test.ts',
  'qemu test/e2e/qemu/network.test.ts',
  'docker test/e2e/operations/every-command.test.ts',
  'docker test/e2e/computers/lifecycle.test.ts',
  'docker test/e2e/operations/surfaces.test.ts',
  'docker test/e2e/screen/dashboard/keyboard.test.ts',
  'docker test/e2e/docker/isolation.test.ts',
  'docker test/e2e/docker/engine-away.test.ts',
  'docker test/e2e/operations/desktop.test.ts',
  'docker test/e2e/promises/frozen.test.ts',
  'docker test/e2e/screen/view.test.ts',
];

/** The order of the projects in a group. A worker keeps its modules only for files of one project. */
const PROJECTS = ['incus', 'qemu', 'docker'];

/** Runs one project after the other, and the longest files of each first. */
export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const group = (file: TestSpecification) => file.project.config.sequence.groupOrder;
    const project = (file: TestSpecification) => PROJECTS.indexOf(file.project.name);
    const rank = (file: TestSpecification) => rankOf(file, this.ctx.config.root);
    return sorted.sort(
      (a, b) => group(a) - group(b) || project(a) - project(b) || rank(a) - rank(b),
    );
  }
}

/** The file's place in the list, or the list's length. */
function rankOf({ project, moduleId }: TestSpecification, root: string): number {
  const index = LONGEST.indexOf(`${project.name} ${relative(root, moduleId)}`);
  return index === -1 ? LONGEST.length : index;
}
