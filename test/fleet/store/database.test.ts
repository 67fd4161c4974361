import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeDatabase, databaseFile, openDatabase } from '../../../src/fleet/store/database.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-database-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

it('the error of a state directory in use names the command that stops its service', () => {
  const first = openDatabase(directory);
  try {
    expect(() => openDatabase(directory)).toThrow(
      expect.objectContaining({
        message: `Cannot open ${databaseFile(directory)}: another vc serve uses this state directory.`,
        remedy: 'Stop it (vc service stop), or choose another directory with --state',
      }),
    );
  } finally {
    closeDatabase(first);
  }
});
