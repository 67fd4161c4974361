import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeJobs } from '../../../src/shell/jobs/fields.js';
import { listJobs } from '../../../src/shell/jobs/scripts.js';

test('a job that ends while it is shown has its exit code', () => {
  const home = mkdtempSync(join(tmpdir(), 'vc-jobs-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const directory = join(home, '.cache/vc/jobs/job_00000000000000001');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'process'), 'boot 11 12 13 14 1700000000\n');
  writeFileSync(join(directory, 'command'), 'exit 3');
  // The watcher writes the exit code and ends between the two looks at it.
  const ending = `alive() { echo "3 1700000009" >"$d/exit"; return 1; }\nshow() {`;
  const script = listJobs().replace('show() {', () => ending);
  const printed = execFileSync('bash', ['-c', script], { env: { ...process.env, HOME: home } });
  const [job] = takeJobs(printed.subarray(printed.indexOf('\n') + 1), 1);
  expect(job).toMatchObject({
    status: 'exited',
    exitCode: 3,
    endedAt: new Date(1_700_000_009_000),
  });
});
