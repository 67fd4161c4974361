import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The order of the projects in a group. A worker keeps its modules only for files of one project. */
const PROJECTS = ['incus', 'qemu', 'podman', 'docker'];

/** Starts slow files first in each project, so that no worker has one left to do at the end. */
export class SlowFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const place = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);
    const slow = new Set(
      files.filter((file) => /@module-tag slow/.test(readFileSync(file.moduleId, 'utf8'))),
    );
    const order = (file: TestSpecification) => (slow.has(file) ? 0 : 1);
    return sorted.sort((a, b) => group(a) - group(b) || place(a) - place(b) || order(a) - order(b));
  }
}
