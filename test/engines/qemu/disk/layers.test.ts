import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freeze } from '../../../../src/engines/qemu/disk/layers.js';

it('a pipe in place of a layer does not hold the service', { timeout: 5_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-layers-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  execFileSync('mkfifo', [join(directory, 'layer')]);
  const frozen = freeze(directory, ['layer']).then(() => 'done');
  const late = new Promise((resolve) => setTimeout(resolve, 2_000, 'waits'));
  expect(await Promise.race([frozen, late])).toBe('done');
});
