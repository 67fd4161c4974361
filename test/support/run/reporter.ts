import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTagsFilter } from '@vitest/runner/utils';
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import { type PromiseTest, promiseTable, writeRecord } from './promise-table.js';

/** Number of printed characters of a failure's message. */
const MESSAGE = 1_000;

/**
 * Prints the end of a run: the ten slowest files, the table of promises, skipped tests with their
 * reasons, tests that needed more than one attempt, failures and, as the last line, the totals.
 */
export class SummaryReporter implements Reporter {
  readonly #startedAt = Date.now();
  #isOfTier: (tags: string[]) => boolean = () => true;

  onInit(vitest: Vitest): void {
    const { tagsFilter, tags } = vitest.config;
    if (tagsFilter !== undefined) this.#isOfTier = createTagsFilter(tagsFilter, tags);
    this.#onInterrupt(vitest);
  }

  /** Ends the tests as after a whole run. vitest would leave services, machines and engines. */
  #onInterrupt(vitest: Vitest): void {
    let isInterrupted = false;
    const interrupt = async () => {
      if (isInterrupted) process.exit(130);
      isInterrupted = true;
      process.exitCode = 130;
      print('Interrupted: ending the tests and their machines. A second signal leaves them.\n');
      // Repeated, because a run that is about to begin ignores it.
      for (;;) {
        await vitest.cancelCurrentRun('keyboard-input').catch(() => undefined);
        await sleep(1_000, undefined, { ref: false });
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.removeAllListeners(signal).on(signal, () => void interrupt());
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter(({ tags }) => this.#isOfTier(tags));
    const ended = (...states: readonly string[]) =>
      tests.filter((test) => states.includes(test.result().state));
    const skipped = ended('skipped', 'pending');
    const failures = [
      ...ended('failed').map((test) => described(titleOf(test), errorsOf(test))),
      ...modules.flatMap(failureOfSetUp),
      ...unhandled.map((error) => described('an error outside of the tests', [withOrigin(error)])),
      ...hostViolations().map((line) => described('the tests touched the host', [line])),
      ...(tests.length === 0 ? ['no test ran\n'] : []),
    ];
    print(slowest(modules));
    this.#promises(tests);
    for (const test of skipped) print(`skipped: ${titleOf(test)}: ${skipReasonOf(test)}\n`);
    for (const test of tests.filter((test) => test.diagnostic()?.flaky)) {
      print(`more than one attempt: ${described(titleOf(test), errorsOf(test))}`);
    }
    // Last, so that the end of a log has the failures.
    for (const failure of failures) print(`failed: ${failure}`);
    if (failures.length > 0) process.exitCode ||= 1;
    const passed = ended('passed').length;
    print(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped\n`);
  }

  #promises(tests: readonly TestCase[]): void {
    const marked = tests.flatMap((test): PromiseTest[] => {
      const { promise } = test.meta();
      return promise === undefined ? [] : [{ ...promise, state: test.result().state }];
    });
    const record = process.env.VC_TEST_RECORD;
    if (record === undefined) {
      // Unit tests alone cover few promises.
      if (marked.some(({ engine }) => engine !== 'any')) print(`\n${promiseTable(marked)}\n`);
      return;
    }
    const minutes = Math.round((Date.now() - this.#startedAt) / 60_000);
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
    const date = new Date().toISOString().slice(0, 10);
    for (const project of new Set(tests.map((test) => test.project.name))) {
      const own = tests.filter((test) => test.project.name === project);
      const failed = own.filter((test) => test.result().state === 'failed').length;
      const title = `${date}, commit ${commit.trim()}: ${own.length} tests, ${failed} failed, in a run of ${minutes} minutes.`;
      const engine = project === 'unit' ? 'any' : project;
      const table = promiseTable(marked.filter((test) => test.engine === engine));
      writeRecord(record, project, `${title}\n\n${table}`);
    }
  }
}

/** The contents of the planted host's home directory before the run; see planted-host.js. */
const PLANTED = ['.config', '.config/vc', '.config/vc/config.json'];

/** The tests' uses of the planted host, one per line; empty without a planted host. */
function hostViolations(): string[] {
  const directory = process.env.VC_TEST_PLANTED_HOST;
  if (directory === undefined) return [];
  const home = readdirSync(join(directory, 'home'), { recursive: true, encoding: 'utf8' });
  const written = home.filter((path) => !PLANTED.includes(path));
  const used = readFileSync(join(directory, 'used'), 'utf8').split('\n').slice(0, -1);
  return [...new Set(used), ...written.map((path) => `~/${path} was written`)];
}

/** An error outside of the tests with the test during which it came, and its stack. */
function withOrigin({ message, stack, VITEST_TEST_PATH, VITEST_TEST_NAME }: SerializedError) {
  const origin = [VITEST_TEST_PATH, VITEST_TEST_NAME].filter(Boolean).join(': ');
  return [message, `during: ${origin}`, stack].filter(Boolean).join('\n');
}

function print(text: string): void {
  process.stdout.write(text);
}

const fileOf = (module: TestModule) => `[${module.project.name}] ${module.relativeModuleId}`;

const titleOf = (test: TestCase) => `${fileOf(test.module)}: ${test.fullName}`;

const errorsOf = (test: TestCase) => (test.result().errors ?? []).map(({ message }) => message);

/** A file that failed to load or set up has no failed test. */
function failureOfSetUp(module: TestModule): string[] {
  const suites = [...module.children.allSuites()];
  const errors = [module, ...suites].flatMap((each) => each.errors());
  if (errors.length === 0) return [];
  const messages = errors.map(({ message }) => message);
  return [described(fileOf(module), messages)];
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
    .slice(0, 10)
    .map(({ module, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${fileOf(module)}\n`);
  return `slowest files:\n${lines.join('')}`;
}
