import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { hostViolations } from './host-violations.js';
import { asMarkdown, asText, type PromiseTest, promiseRows, writeRecord } from './promise-table.js';
import { modulesToRepeat } from './whole-run/modules-to-repeat.js';

const SLOWEST = 10;
/** Number of printed characters of a failure's message. */
const MESSAGE = 1_000;
const OUTSIDE = 'an error outside of the tests';

/**
 * Prints the end of a run: the slowest files, the table of promises, skipped tests with their reasons,
 * tests that needed more than one attempt, failures and, as the last line, the totals.
 */
export class SummaryReporter implements Reporter {
  #began: number | undefined;
  readonly #modules = new Map<string, TestModule>();
  readonly #repeated: string[] = [];

  onTestRunStart(): void {
    this.#began ??= Date.now();
  }

  onTestRunEnd(ended: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of ended) this.#modules.set(fileOf(module), module);
    const errors = unhandled.map((error) => described(OUTSIDE, [withOrigin(error)]));
    const repeated = modulesToRepeat(
      { testModules: ended, unhandledErrors: unhandled },
      Number(process.env.VC_TEST_REPEAT ?? 0),
    );
    // See whole-run/whole-run.js.
    if (repeated.length > 0) {
      this.#repeated.push(...ended.flatMap(failuresOf), ...errors);
    } else {
      this.#summary([...this.#modules.values()], errors);
    }
  }

  #summary(modules: readonly TestModule[], errors: readonly string[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const ended = (...states: readonly string[]) =>
      tests.filter((test) => states.includes(test.result().state));
    const skipped = ended('skipped', 'pending');
    const failures = [
      ...modules.flatMap(failuresOf),
      ...errors,
      ...hostViolations().map((line) => described('the tests touched the host', [line])),
      ...(tests.length === 0 ? ['no test ran\n'] : []),
    ];
    print(slowest(modules));
    this.#promises(tests);
    for (const test of skipped) {
      print(`skipped: ${titleOf(test)}: ${skipReasonOf(test)}\n`);
    }
    for (const test of tests.filter((test) => test.diagnostic()?.flaky)) {
      print(`more than one attempt: ${described(titleOf(test), errorsOf(test))}`);
    }
    for (const failure of this.#repeated) {
      print(`failed, then run again with its whole file: ${failure}`);
    }
    // Last, so that the end of a log has the failures.
    for (const failure of failures) print(`failed: ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
    const passed = ended('passed').length;
    print(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped\n`);
  }

  #promises(tests: readonly TestCase[]): void {
    const marked = tests.flatMap((test): PromiseTest[] => {
      const { promise } = test.meta();
      return promise === undefined ? [] : [{ ...promise, state: test.result().state }];
    });
    // Unit tests alone cover few promises.
    const record = process.env.VC_TEST_RECORD;
    if (record === undefined && marked.every(({ engine }) => engine === 'any')) return;
    const rows = promiseRows(marked);
    print(`\n${asText(rows)}\n\n`);
    if (record === undefined) return;
    const minutes = Math.round((Date.now() - (this.#began ?? Date.now())) / 60_000);
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
    const date = new Date().toISOString().slice(0, 10);
    for (const engine of new Set(marked.map((test) => test.engine))) {
      const own = tests.filter((test) => engineOf(test.module) === engine);
      const failed = own.filter((test) => test.result().state === 'failed').length;
      const count = failed === 0 ? `${own.length} tests` : `${own.length} tests, ${failed} failed,`;
      const title = `Recorded on ${date} at commit ${commit.trim()}: ${count} in a run of ${minutes} minutes.`;
      const ofEngine = rows.filter((row) => row[2] === engine);
      writeRecord(record, engine, `${title}\n\n${asMarkdown(ofEngine)}`);
    }
  }
}

/** An error outside of the tests with the test during which it came, and its stack. */
function withOrigin({ message, stack, VITEST_TEST_PATH, VITEST_TEST_NAME }: SerializedError) {
  const file = VITEST_TEST_PATH && relative(process.cwd(), String(VITEST_TEST_PATH));
  return [message, `during: ${[file, VITEST_TEST_NAME].filter(Boolean).join(': ')}`, stack]
    .filter(Boolean)
    .join('\n');
}

function print(text: string): void {
  process.stdout.write(text);
}

const fileOf = (module: TestModule) =>
  `[${module.project.name}] ${relative(process.cwd(), module.moduleId)}`;

/** `any` for the unit tests, as in the marks of promises. */
const engineOf = ({ project }: TestModule) => (project.name === 'unit' ? 'any' : project.name);

const titleOf = (test: TestCase) => `${fileOf(test.module)}: ${test.fullName}`;

function errorsOf(test: TestCase): string[] {
  return (test.result().errors ?? []).map(({ message }) => message);
}

function failuresOf(module: TestModule): string[] {
  const failed = [...module.children.allTests('failed')];
  return [
    ...failed.map((test) => described(titleOf(test), errorsOf(test))),
    ...failureOfSetUp(module),
  ];
}

/** A file that failed to load or set up has no failed test. */
function failureOfSetUp(module: TestModule): string[] {
  const errors = [
    ...module.errors(),
    ...[...module.children.allSuites()].flatMap((s) => s.errors()),
  ];
  return errors.length === 0
    ? []
    : [
        described(
          fileOf(module),
          errors.map(({ message }) => message),
        ),
      ];
}

function skipReasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  for (let task: TestCase['parent'] | TestCase = test; ; task = task.parent) {
    const { skipReason } = task.meta();
    if (skipReason) return skipReason;
    if (task.type === 'module') break;
  }
  return 'its set-up failed, or the run was cancelled';
}

function described(title: string, messages: readonly string[]): string {
  const reasons = messages.map((text) => `  ${text.slice(0, MESSAGE).replaceAll('\n', '\n  ')}\n`);
  return `${title}\n${[...new Set(reasons)].join('')}`;
}

function slowest(modules: readonly TestModule[]): string {
  const lines = modules
    .map((module) => ({ module, seconds: module.diagnostic().duration / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ module, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${fileOf(module)}\n`);
  return `slowest files:\n${lines.join('')}`;
}
