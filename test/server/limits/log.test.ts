import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { rotatingLog } from '../../../src/server/limits/rotating-log.js';
import { promise } from '../../support/run/promise.js';

promise(29, 'the log file of a running service is bounded', () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-log-'));
  const path = join(directory, 'serve.log');
  const fd = openSync(path, 'a');
  try {
    const write = (line: string) => writeSync(fd, line);
    const log = rotatingLog({ write }, directory, { fd, limit: 10_000 });
    for (let i = 0; i < 5000; i++) log.write(`${i} a line\n`);
    log.write('last\n');
    const [now, old] = [readFileSync(path), readFileSync(`${path}.old`)];
    expect(now.length).toBeLessThan(21_000);
    expect(old.length).toBeLessThan(21_000);
    expect(now.toString()).toMatch(/last\n$/);
    expect(now.includes(0)).toBe(false);
  } finally {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  }
});
