/**
 * Adds up vitest's JSON reports: names the tests that needed a second attempt, and prints the
 * closing line. Exits 1 if anything failed or nothing ran.
 */
import { readFileSync } from 'node:fs';

const WORDS = 200;
const total = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  for (const test of report.testResults.flatMap((file) => file.assertionResults)) {
    if (test.status !== 'passed' || test.failureMessages.length === 0) continue;
    const [reason = ''] = test.failureMessages[0].split('\n');
    process.stdout.write(`second attempt: ${test.fullName}\n  ${reason.slice(0, WORDS)}\n`);
  }
  // A file that could not be loaded has no tests to fail.
  total.failed += report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
