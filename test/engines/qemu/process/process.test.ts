import { constants } from 'node:fs';
import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareDirectory } from '../../../../src/engines/qemu/process/account.js';
import { firstLogLines, lastLogLines } from '../../../../src/engines/qemu/process/log.js';
import { openOwnFile, readOwnFile } from '../../../../src/engines/qemu/process/own-file.js';
import { parseProcessRecord } from '../../../../src/engines/qemu/process/process-record.js';
import { parseStat } from '../../../../src/lib/process/identity.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-own-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('a process record', () => {
  const started = 'boot a-b-c 2100000007\npid 77 1234\n';
  const identity = { pid: 77, startTime: 1234, bootId: 'a-b-c', uid: 2_100_000_007 };

  it('holds the process and how it exited', () => {
    expect(parseProcessRecord(started)).toEqual({ identity });
    expect(parseProcessRecord(`${started}ended 0\n`)).toEqual({
      identity,
      exited: { kind: 'exited', status: 0 },
    });
    expect(parseProcessRecord(`${started}ended 137\n`)?.exited).toEqual({
      kind: 'killed',
      signal: 9,
    });
  });

  it('is undefined until QEMU is executed', () => {
    expect(parseProcessRecord('')).toBeUndefined();
    expect(parseProcessRecord('boot a-b-c 2100000007\nended 125\n')).toBeUndefined();
  });
});

describe('the start time of a process', () => {
  it('is parsed for any program name', () => {
    const rest = [...Array(18).fill('0'), '4711', ...Array(30).fill('1')];
    expect(parseStat(`12 (a) R 9) S 7 ${rest.slice(1).join(' ')}`)).toEqual({
      state: 'S',
      startTime: 4711,
    });
    expect(parseStat('')).toEqual({});
  });
});

describe('a file of the service in a directory that QEMU can write to', () => {
  const { O_WRONLY, O_TRUNC } = constants;

  it('is never written through a planted link', async () => {
    const target = join(directory, 'target');
    await writeFile(target, 'untouched');
    const soft = join(directory, 'soft');
    const hard = join(directory, 'hard');
    await symlink(target, soft);
    await link(target, hard);
    for (const path of [soft, hard]) {
      expect(await readOwnFile(path, 99)).toBeUndefined();
      const file = await openOwnFile(path, O_WRONLY | O_TRUNC);
      await file.writeFile('new');
      await file.close();
      expect(await readOwnFile(path, 99)).toBe('new');
    }
    expect(await readFile(target, 'utf8')).toBe('untouched');
  });

  it('keeps its content if it exists', async () => {
    const path = join(directory, 'kept');
    await writeFile(path, 'before');
    await (await openOwnFile(path, O_WRONLY)).close();
    expect(await readOwnFile(path, 99)).toBe('before');
  });
});

describe("a machine's log", () => {
  const failed = [
    'Error: syntax error, unexpected string',
    'nonsense',
    '^^^^^^^^',
    'Starting slirp',
    'sh: 1: cannot open /proc/7/ns/net: No such file',
  ];

  it('gives the first lines as the cause of a failed start, without routine messages', async () => {
    await writeFile(join(directory, 'qemu.log'), `an earlier run\n${failed.join('\n')}\n`);
    const start = 'an earlier run\n'.length;
    expect(await firstLogLines(directory, start)).toBe(failed.slice(0, 3).join(' '));
    expect(await lastLogLines(directory, start)).toBe([...failed.slice(1, 3), failed[4]].join(' '));
    expect(await lastLogLines(join(directory, 'none'))).toBe('the log is empty');
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
