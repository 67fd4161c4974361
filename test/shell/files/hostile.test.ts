// @module-tag thorough
import { Readable } from 'node:stream';
import ssh2, { type FileEntry, type SFTPWrapper } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/shell/connection.js';
import { openFiles } from '../../../src/shell/files/index.js';
import type { Shell } from '../../../src/shell/types.js';
import { promise } from '../../support/run/promise.js';
import { type Guest, openGuest } from '../support/guest.js';

const { STATUS_CODE } = ssh2.utils.sftp;
const attrs = { mode: 0o100644, uid: 0, gid: 0, size: 1 << 20, atime: 0, mtime: 0 };
const handle = Buffer.of(1);
const MIB = 2 ** 20;
const CHUNK = Buffer.alloc(256 * 1024);

let guest: Guest | undefined;
afterEach(() => guest?.close());

interface Directory {
  /** The entries of one answer; undefined at the end. */
  batch(number: number): FileEntry[] | undefined;
  readlink?(): string;
}

/** A guest whose SFTP server lists what `directory` returns. */
async function listing(directory: Directory): Promise<Shell> {
  let batches = 0;
  guest = await openGuest({
    onFiles(sftp) {
      sftp.on('REALPATH', (id) => sftp.name(id, [entry('/made-up')]));
      sftp.on('STAT', (id) => sftp.attrs(id, { ...attrs, mode: 0o040755 }));
      sftp.on('LSTAT', (id) => sftp.attrs(id, { ...attrs, mode: 0o040755 }));
      sftp.on('REMOVE', (id) => sftp.status(id, STATUS_CODE.OK));
      sftp.on('OPENDIR', (id) => sftp.handle(id, handle));
      sftp.on('READLINK', (id) => sftp.name(id, [entry(directory.readlink?.() ?? '')]));
      sftp.on('READDIR', (id) => {
        const found = directory.batch(batches++);
        if (found === undefined) sftp.status(id, STATUS_CODE.EOF);
        else sftp.name(id, found);
      });
    },
  });
  return guest.shell;
}

function entry(filename: string, mode = attrs.mode): FileEntry {
  return { filename, longname: '', attrs: { ...attrs, mode } };
}

describe('a hostile SFTP server', () => {
  it('may leave out what it says of a file', async () => {
    const bare = { filename: 'bare', longname: '', attrs: {} } as unknown as FileEntry;
    const shell = await listing({ batch: (number) => (number === 0 ? [bare] : undefined) });
    const { entries } = await shell.files.list('/');
    expect(entries).toEqual([{ name: 'bare', type: 'other', size: 0, mode: 0, mtime: 0 }]);
  });

  promise(29, 'cannot list a name that is longer than file systems allow', async () => {
    const shell = await listing({ batch: () => [entry('x'.repeat(250_000))] });
    await expect(shell.files.list('.')).rejects.toThrow(/name of 250000 characters/);
  });

  it('can list the longest name that a file system allows', async () => {
    const name = 'ä'.repeat(255);
    const shell = await listing({ batch: (number) => (number === 0 ? [entry(name)] : undefined) });
    expect((await shell.files.list('.')).entries).toMatchObject([{ name }]);
  });

  promise(29, 'cannot list more bytes than the budget', async (report) => {
    let sent = 0;
    const batch = () => {
      const entries = Array.from({ length: 400 }, () => entry('x'.repeat(255)));
      sent += 400 * 255;
      return entries;
    };
    const shell = await listing({ batch });
    await expect(shell.files.list('.')).rejects.toThrow(/too long to list|more than 50000/);
    expect(sent).toBeLessThan(9 << 20);
    report(`a listing of ${(sent / (1 << 20)).toFixed(1)} MiB refused`);
  });

  it.each([
    ['of empty answers', () => []],
    ['of nothing but dots', () => Array.from({ length: 500 }, () => entry('..'))],
  ])('cannot keep a request going by answers %s', async (_, batch) => {
    const shell = await listing({ batch });
    await expect(shell.files.list('.')).rejects.toThrow('more than 50000 entries');
  });

  promise(29, 'cannot have a directory tree without end removed', async (report) => {
    const nested = await listing({
      batch: (number) => (number % 2 === 0 ? [entry('d'.repeat(200), 0o040755)] : undefined),
    });
    await expect(nested.files.remove('tree', { recursive: true })).rejects.toThrow(
      'too long paths',
    );
    await guest?.close();
    let lists = 0;
    const wide = await listing({
      batch: (number) => {
        if (number % 101 === 100) return undefined;
        if (number % 101 === 0) lists += 1;
        return Array.from({ length: 400 }, () => entry('d', 0o040755));
      },
    });
    await expect(wide.files.remove('tree', { recursive: true })).rejects.toThrow(
      'too many entries',
    );
    expect(lists).toBe(6);
    report('paths of 4,096 characters, lists of 200,000 entries');
  });

  promise(29, 'cannot return link targets that are longer than file systems allow', async () => {
    const shell = await listing({
      batch: (number) => (number === 0 ? [entry('link', 0o120777)] : undefined),
      readlink: () => 'x'.repeat(100_000),
    });
    expect((await shell.files.list('.')).entries).toEqual([
      expect.not.objectContaining({ target: expect.anything() }),
    ]);
  });
});

/** A guest with a file that is read in answers of this many bytes. */
async function reading(size: number, bytes: number): Promise<Shell> {
  guest = await openGuest({
    onFiles(sftp: SFTPWrapper) {
      sftp.on('REALPATH', (id) => sftp.name(id, [entry('/file')]));
      sftp.on('STAT', (id) => sftp.attrs(id, { ...attrs, size }));
      sftp.on('FSTAT', (id) => sftp.attrs(id, { ...attrs, size }));
      sftp.on('OPEN', (id) => sftp.handle(id, handle));
      sftp.on('READ', (id) => sftp.data(id, Buffer.alloc(bytes, 'x')));
    },
  });
  return guest.shell;
}

it('a file of which the server says nothing has a size and a time', async () => {
  guest = await openGuest({
    onFiles(sftp: SFTPWrapper) {
      sftp.on('REALPATH', (id) => sftp.name(id, [entry('/file')]));
      sftp.on('STAT', (id) => sftp.attrs(id, attrs));
      sftp.on('FSTAT', (id) => sftp.attrs(id, {} as typeof attrs));
      sftp.on('OPEN', (id) => sftp.handle(id, handle));
      sftp.on('READ', (id) => sftp.status(id, STATUS_CODE.EOF));
    },
  });
  const told = await guest.shell.files.read('file', async ({ size, mode, mtime }) => {
    return { size, mode, mtime };
  });
  expect(told).toEqual({ size: 0, mode: 0, mtime: 0 });
});

describe('a file read in tiny answers', () => {
  promise(29, 'needs no more memory than in large answers', async (report) => {
    const shell = await reading(2000, 1);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const read = await shell.files.read('file', async ({ stream }) => {
      let length = 0;
      for await (const chunk of stream) {
        length += (chunk as Buffer).length;
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
      return length;
    });
    expect(read).toBe(2000);
    expect(most).toBeLessThan(8 << 20);
    report(`a file in answers of one byte: +${(most / (1 << 20)).toFixed(1)} MiB`);
  });

  it('fills its chunks even if its length is unknown', async () => {
    const shell = await reading(0, 300);
    const lengths: number[] = [];
    await shell.files.read('file', async ({ stream }) => {
      for await (const chunk of stream) {
        lengths.push((chunk as Buffer).length);
        if (lengths.length === 2) break;
      }
    });
    expect(lengths[0]).toBe(252 * 1024);
  });
});

promise(29, 'few listings and removals of a computer run at once', async () => {
  let open = 0;
  const connection = { onEnd: () => () => undefined, sftp: () => new Promise(() => open++) };
  const files = openFiles(connection as unknown as Connection);
  for (let count = 0; count < 10; count++) void files.list('/');
  await new Promise((resolve) => setImmediate(resolve));
  expect(open).toBe(4);
  for (let count = 0; count < 10; count++) void files.remove('/', { recursive: true });
  await new Promise((resolve) => setImmediate(resolve));
  expect(open).toBe(6);
  void files.remove('/file');
  await new Promise((resolve) => setImmediate(resolve));
  expect(open).toBe(7);
});

promise(29, 'cannot acknowledge parts of a file that it has not read', async (report) => {
  guest = await openGuest({
    onFiles(sftp) {
      const { _protocol: protocol } = sftp as unknown as {
        _protocol: { channelWindowAdjust(): void };
      };
      // The service may send 2 MiB, and no more.
      protocol.channelWindowAdjust = () => undefined;
      const done = (id: number) => sftp.status(id, STATUS_CODE.OK);
      for (const name of ['SETSTAT', 'FSETSTAT', 'CLOSE', 'RENAME', 'REMOVE'] as const) {
        sftp.on(name, done);
      }
      sftp.on('REALPATH', (id) => sftp.name(id, [entry('/made-up')]));
      sftp.on('STAT', (id) => sftp.attrs(id, attrs));
      sftp.on('LSTAT', (id) => sftp.attrs(id, attrs));
      sftp.on('OPEN', (id) => sftp.handle(id, handle));
      sftp.once('WRITE', (first) => {
        let id = first;
        const acknowledge = () => {
          for (let ahead = 0; ahead < 8; ahead++) done(id + ahead);
          id += 1;
          if (id < first + 1000 && guest?.shell.open) setTimeout(acknowledge, 1);
        };
        acknowledge();
      });
      sftp.on('WRITE', () => undefined);
    },
  });
  let read = 0;
  async function* file() {
    for (; read < 64 * MIB; read += CHUNK.length) yield CHUNK;
  }
  const writing = guest.shell.files.write('large', Readable.from(file()));
  await expect(writing).rejects.toMatchObject({
    code: 'guest_failed',
    message: expect.stringContaining('answered file requests that it had not read'),
  });
  expect(read).toBeLessThan(16 * MIB);
  report(`ended after ${Math.round(read / MIB)} of 64 MiB`);
});
