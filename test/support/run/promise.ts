import { inject, it, type TestContext } from 'vitest';
import { leaveOut } from './tiers.js';

/**
 * Defines a test of a promise in docs/reliability.md:
 *
 *     promise(4, "another owner's project is not found", async (report) => {
 *       for (const operation of all) { … }
 *       report(`${all.length} operations, all 404`);
 *     });
 *
 * The reporter prints one row per promise and engine. Put the test where its subject is tested.
 */
export const promise = Object.assign(define(it, []), {
  thorough: define(it, ['thorough']),
  /** Skipped with a reason if this host cannot run it. */
  unless(skipReason: string | undefined) {
    const test = skipReason === undefined ? it : it.skip;
    return Object.assign(define(test, [], skipReason), {
      thorough: define(test, ['thorough'], skipReason),
    });
  },
  /** Omitted, not skipped, if the condition is false. */
  runIf: (condition: boolean) => (condition ? define(it, []) : leaveOut),
});

/** Reports a figure in a few words: `412 requests, all 401`. The last call counts. */
export type Report = (figure: string) => void;

type DefinePromise = (
  number: number,
  title: string,
  body: (report: Report, context: TestContext) => void | Promise<void>,
  timeout?: number,
) => void;

function define(
  test: typeof it | typeof it.skip,
  tags: string[],
  skipReason?: string,
): DefinePromise {
  return (number, title, body, timeout) => {
    const mark = { number, engine: inject('engine') ?? 'any', figure: '' };
    test(title, { tags, timeout, meta: { promise: mark, skipReason } }, (context) =>
      body((figure) => {
        context.task.meta.promise = { ...mark, figure };
      }, context),
    );
  };
}

export interface PromiseMark {
  readonly number: number;
  /** `any` for a unit test. */
  readonly engine: string;
  readonly figure: string;
}

declare module 'vitest' {
  interface TaskMeta {
    promise?: PromiseMark;
    /** Why a test is skipped; the reporter prints it. */
    skipReason?: string | undefined;
  }
}
