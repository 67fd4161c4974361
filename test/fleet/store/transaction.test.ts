import Database from 'libsql';
import { expect, it } from 'vitest';
import { inTransaction } from '../../../src/fleet/store/transaction.js';

it('reports a full disk, keeps existing rows, and works again when there is space', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE notes (text TEXT)');
  const insert = db.prepare('INSERT INTO notes VALUES (?)');
  const count = () => (db.prepare('SELECT count(*) AS n FROM notes').get() as { n: number }).n;
  const write = () =>
    inTransaction(db, () => {
      for (let i = 0; i < 100; i++) insert.run('x'.repeat(1000));
    });
  inTransaction(db, () => insert.run('before'));
  // At the page limit SQLite behaves as on a full disk.
  db.exec('PRAGMA max_page_count = 10');
  expect(write).toThrow('database or disk is full');
  expect(count()).toBe(1);
  db.exec('PRAGMA max_page_count = 1000000');
  write();
  expect(count()).toBe(101);
  db.close();
});

it('writes nothing if the work fails for another reason', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE notes (text TEXT)');
  const fail = () =>
    inTransaction(db, () => {
      db.prepare('INSERT INTO notes VALUES (?)').run('half');
      throw new Error('no');
    });
  expect(fail).toThrow('no');
  expect(db.prepare('SELECT * FROM notes').all()).toEqual([]);
  db.close();
});
