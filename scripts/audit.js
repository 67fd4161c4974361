/**
 * `npm run audit`: known vulnerabilities of the dependencies. Exits with 1 for a high or critical
 * one. Some registries do not support audits, which is reported.
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
  process.stdout.write(`Not audited: the registry does not support it (${reason}).\n`);
} else {
  const { info, low, moderate, high, critical } = counts;
  process.stdout.write(
    `${critical} critical, ${high} high, ${moderate} moderate, ${low} low, ${info} info\n`,
  );
  process.exitCode = high + critical > 0 ? 1 : 0;
}
