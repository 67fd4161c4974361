/**
 * Adds up vitest's JSON reports: names the tests that needed a second attempt, then those that
 * failed, each with the first words of its reasons, and prints the closing line. Exits 1 if
 * anything failed or nothing ran.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const WORDS = 1_000;
const total = { passed: 0, failed: 0, skipped: 0 };
const again = [];
const failed = [];
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    const name = relative(process.cwd(), file.name);
    // A file that could not be loaded, or whose set-up failed, may have no failed test of its own.
    if (
      file.status === 'failed' &&
      file.assertionResults.every((test) => test.status !== 'failed')
    ) {
      total.failed += 1;
      failed.push(describe(name, [file.message]));
    }
    for (const test of file.assertionResults) {
      const told = describe(`${name}: ${test.fullName}`, test.failureMessages);
      if (test.status === 'failed') failed.push(told);
      else if (test.status === 'passed' && test.failureMessages.length > 0) again.push(told);
    }
  }
}
for (const told of again) process.stdout.write(`second attempt: ${told}`);
for (const told of failed) process.stdout.write(`failed: ${told}`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** A test's name and why each of its attempts failed, without the stack. */
function describe(name, messages) {
  const reasons = messages.map(
    (message) => `  ${message.split('\n    at ')[0].slice(0, WORDS).replaceAll('\n', '\n  ')}\n`,
  );
  return `${name}\n${[...new Set(reasons)].join('')}`;
}
