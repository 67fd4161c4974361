import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeDatabase, databaseFile, openDatabase } from '../../../src/fleet/store/database.js';
import { SCHEMA_VERSION } from '../../../src/fleet/store/schema.js';

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

it.each([1, 99])('refuses a state of schema %i, and does not change it', (version) => {
  closeDatabase(openDatabase(directory));
  const path = databaseFile(directory);
  const db = new Database(path);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
  expect(() => openDatabase(directory)).toThrow(
    expect.objectContaining({
      message: `Cannot open ${path}: another version of vc wrote it (schema ${version}; this version uses ${SCHEMA_VERSION}).`,
      remedy: 'Use that version, or choose another directory with --state',
    }),
  );
  const after = new Database(path);
  expect(after.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: version });
  after.close();
});
