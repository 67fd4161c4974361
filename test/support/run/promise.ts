import { inject, it, type TestContext, type TestOptions } from 'vitest';
import { isThorough } from './tiers.js';

/**
 * Defines a test of a promise in docs/reliability.md:
 *
 *     promise(4, "another owner's project is not found", async (report) => {
 *       for (const operation of all) { … }
 *       report(`${all.length} operations, all 404`);
 *     });
 *
 * The reporter prints one row per promise and engine from the tests' metadata; several tests may
 * share a row. Put the test where its subject is tested.
 */
export const promise = Object.assign(define(it), {
  /** Skipped with a reason if this host cannot run it. */
  unless(reason: string | undefined) {
    const inEachTier = reason === undefined ? define(it) : defineSkipped(reason);
    return Object.assign(inEachTier, { thorough: isThorough ? inEachTier : leaveOut });
  },
  /** Omitted, not skipped, if the condition is false. */
  runIf: (condition: boolean) => (condition ? define(it) : leaveOut),
  /** Runs only in the thorough tier. */
  thorough: isThorough ? define(it) : leaveOut,
});

/** Reports a figure in a few words: `412 requests, all 401`. The last call counts. */
export type Report = (figure: string) => void;

type DefinePromise = (
  number: number,
  title: string,
  body: (report: Report, context: TestContext) => void | Promise<void>,
  timeout?: number,
) => void;

type DefineTest = (
  title: string,
  options: TestOptions,
  body: (context: TestContext) => void | Promise<void>,
) => void;

function define(test: DefineTest): DefinePromise {
  return (number, title, body, timeout) => {
    const mark = markOf(number);
    const limit = timeout === undefined ? {} : { timeout };
    test(title, { tags: ['promise'], meta: { promise: mark }, ...limit }, (context) =>
      body((figure) => {
        context.task.meta.promise = { ...mark, figure };
      }, context),
    );
  };
}

function defineSkipped(skipReason: string): DefinePromise {
  return (number, title) => {
    it.skip(title, { meta: { promise: markOf(number), skipReason } }, () => undefined);
  };
}

function leaveOut(): void {}

function markOf(number: number): PromiseMark {
  return { number, engine: inject('engine') ?? 'any', figure: '' };
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
  }
}
