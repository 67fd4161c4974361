import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Alternates between the projects of a group, so that both engines are busy from the start. */
export class AlternatingSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const places = new Map<TestSpecification, number>();
    const counts = new Map<string, number>();
    for (const file of sorted) {
      const { name } = file.project;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      places.set(file, count);
    }
    /** A file's position in its project's list, from 0 to 1. */
    const share = (file: TestSpecification) =>
      (places.get(file) ?? 0) / (counts.get(file.project.name) ?? 1);
    const group = (file: TestSpecification) => file.project.config.sequence.groupOrder;
    return sorted.sort((a, b) => group(a) - group(b) || share(a) - share(b));
  }
}
