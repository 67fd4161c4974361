import { inject, it, type TestContext, type TestOptions } from 'vitest';

/**
 * Tests that keep a promise of docs/reliability.md.
 *
 *     promise(4, 'another owner finds nothing', async (report) => {
 *       for (const operation of all) { … }
 *       report(`${all.length} operations, all 404`);
 *     });
 *
 * It is vitest's `it` with a number and a figure: the figure and the engine travel in the test's
 * meta to vitest's JSON report, of which `scripts/promises.js` makes the table. Several tests may
 * keep one promise; their figures stand in one row an engine. `promise.runIf(condition)(…)` is as
 * vitest's: say in the file what is skipped and why.
 *
 * Where: a test that is about a module beside it in `test/`; one that drives a service on both
 * engines in `test/e2e/promises/`, which runs on Docker and on QEMU; one about Docker or QEMU alone
 * in `test/e2e/promises/docker/` or `test/e2e/promises/qemu/`. A test that keeps a promise where it
 * stands already becomes a `promise` there, and is not written a second time.
 *
 * `npm run test:promises` runs them all, and only them, and prints the table; with `-- --write` it
 * goes into docs/reliability.md. Every other argument is vitest's: `-- --project e2e -t 'owner'`.
 * In a full run (`npm run test:all`) they run where they stand, once, and the table is printed.
 */
export const promise = Object.assign(keep(it), { runIf: (met: boolean) => keep(it.runIf(met)) });

/**
 * `promise` for what takes minutes on a virtual machine and says there little that a container does
 * not: on QEMU it is left to `npm run test:promises`, which sets VC_TEST_THOROUGH.
 */
export function lengthyPromise() {
  const isRun = inject('engine') === 'docker' || process.env.VC_TEST_THOROUGH === '1';
  if (!isRun) console.log('skipped on QEMU, where it takes minutes: npm run test:promises has it');
  return promise.runIf(isRun);
}

function keep(test: Define) {
  return (
    number: number,
    title: string,
    body: (report: Report, context: TestContext) => void | Promise<void>,
    timeout?: number,
  ): void => {
    const mark: Mark = { number, engine: inject('engine') ?? 'any', figure: '' };
    const limit = timeout === undefined ? {} : { timeout };
    test(title, { tags: ['promise'], meta: { promise: mark }, ...limit }, (context) =>
      body((figure) => {
        context.task.meta.promise = { ...mark, figure };
      }, context),
    );
  };
}

type Define = (
  title: string,
  options: TestOptions,
  body: (context: TestContext) => void | Promise<void>,
) => void;

/** Says in a few words what was seen: `412 openings, all 401`. The last one counts. */
export type Report = (figure: string) => void;

interface Mark {
  readonly number: number;
  /** `any` for a unit test. */
  readonly engine: string;
  readonly figure: string;
}

declare module 'vitest' {
  interface TaskMeta {
    promise?: Mark;
  }
}
