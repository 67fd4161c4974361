import { constants } from 'node:fs';
import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStat } from '../../../src/engines/qemu/process/identity.js';
import { prepareDirectory } from '../../../src/engines/qemu/process/index.js';
import { openOwn, readOwn } from '../../../src/engines/qemu/process/own-file.js';
import { parseRecord } from '../../../src/engines/qemu/process/record.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-own-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the record of a start', () => {
  const begun = 'boot a-b-c 2100000007\npid 77 1234\n';
  const identity = { pid: 77, startTime: 1234, bootId: 'a-b-c', uid: 2_100_000_007 };

  it('says what runs and how it ended', () => {
    expect(parseRecord(begun)).toEqual({ identity });
    expect(parseRecord(`${begun}ended 0\n`)).toEqual({
      identity,
      ended: { kind: 'exited', status: 0 },
    });
    expect(parseRecord(`${begun}ended 137\n`)?.ended).toEqual({ kind: 'killed', signal: 9 });
  });

  it('is none while nothing began', () => {
    expect(parseRecord('')).toBeUndefined();
    expect(parseRecord('boot a-b-c 2100000007\nended 125\n')).toBeUndefined();
  });
});

describe('the start time of a process', () => {
  it('is found whatever the program is called', () => {
    const rest = [...Array(18).fill('0'), '4711', ...Array(30).fill('1')];
    expect(parseStat(`12 (a) R 9) S 7 ${rest.slice(1).join(' ')}`)).toEqual({
      state: 'S',
      startTime: 4711,
    });
    expect(parseStat('')).toEqual({});
  });
});

describe('a file of the service in a directory that others write', () => {
  const { O_WRONLY, O_TRUNC } = constants;

  it('is never written through a link that was left there', async () => {
    const target = join(directory, 'target');
    await writeFile(target, 'untouched');
    const soft = join(directory, 'soft');
    const hard = join(directory, 'hard');
    await symlink(target, soft);
    await link(target, hard);
    for (const path of [soft, hard]) {
      expect(await readOwn(path, 99)).toBeUndefined();
      const file = await openOwn(path, O_WRONLY | O_TRUNC);
      await file.writeFile('new');
      await file.close();
      expect(await readOwn(path, 99)).toBe('new');
    }
    expect(await readFile(target, 'utf8')).toBe('untouched');
  });

  it('is kept when it is there already', async () => {
    const path = join(directory, 'kept');
    await writeFile(path, 'before');
    await (await openOwn(path, O_WRONLY)).close();
    expect(await readOwn(path, 99)).toBe('before');
  });
});

describe("a machine's account", () => {
  it('is the same each time', async () => {
    const one = join(directory, 'one');
    const account = await prepareDirectory(one);
    expect(await prepareDirectory(one)).toEqual(account);
    const root = process.getuid?.() === 0;
    expect(account.kind).toBe(root ? 'machine' : 'own');
    const other = await prepareDirectory(join(directory, 'other'));
    expect(other.uid === account.uid).toBe(!root);
  });
});
