/**
 * `npm run audit`: known weaknesses of what the tool depends on. Exits 1 for one that is high or
 * critical, and says so where the registry answers no such question.
 */
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
let report;
try {
  report = JSON.parse(stdout);
} catch {
  report = {};
}
const counts = report.metadata?.vulnerabilities;
if (counts === undefined) {
  const reason = report.error?.summary || report.message || 'no answer';
  process.stdout.write(`Not audited: the registry does not answer (${reason}).\n`);
} else {
  const { info, low, moderate, high, critical } = counts;
  process.stdout.write(
    `${critical} critical, ${high} high, ${moderate} moderate, ${low} low, ${info} notes\n`,
  );
  process.exitCode = high + critical > 0 ? 1 : 0;
}
