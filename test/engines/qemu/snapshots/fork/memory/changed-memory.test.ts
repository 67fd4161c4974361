import {
  type FileHandle,
  link,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  copyBase,
  linkBase,
} from '../../../../../../src/engines/qemu/snapshots/fork/memory/base.js';
import {
  changedBytes,
  readChanged,
} from '../../../../../../src/engines/qemu/snapshots/fork/memory/changed-memory.js';
import {
  mapFile,
  parseMappings,
} from '../../../../../../src/engines/qemu/snapshots/fork/memory/mappings.js';
import { writeFully } from '../../../../../../src/engines/qemu/snapshots/fork/memory/write-fully.js';
import {
  memoryProblem,
  type PythonProgram,
  startPython,
} from '../../../../../support/qemu/changed-memory.js';
import { describeUnless } from '../../../../../support/run/needs.js';

/** More than the pages whose entries are read at once. */
const BYTES = 40 << 20;

/** Maps a file privately, or anonymous memory; a line `OFFSET BYTE COUNT` changes it. */
const MAPPER = `
import mmap, os, sys
path = sys.argv[1]
size = int(sys.argv[2])
fd = os.open(path, os.O_RDWR) if path else -1
flags = mmap.MAP_PRIVATE | (0 if path else mmap.MAP_ANONYMOUS)
memory = mmap.mmap(fd, size, flags=flags)
if path:
    os.close(fd)
    os.unlink(path)
sum(memory[::4096])
print("ready", flush=True)
for line in sys.stdin:
    offset, byte, count = (int(word) for word in line.split())
    memory[offset : offset + count] = bytes([byte]) * count
    print("changed", flush=True)
`;

describeUnless(memoryProblem())('the memory of a process', () => {
  let directory: string;
  let program: PythonProgram | undefined;
  const files: FileHandle[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vc-memory-'));
  });
  afterEach(async () => {
    await program?.close();
    await Promise.all(files.splice(0).map((file) => file.close()));
    await rm(directory, { recursive: true, force: true });
  });

  const opened = async (path: string) => {
    const file = await open(path, 'r');
    files.push(file);
    return file;
  };

  async function memoryOf({ pid }: PythonProgram) {
    const mappings = parseMappings(await readFile(`/proc/${pid}/maps`, 'utf8'));
    const mapping = mappings.find(({ start, end }) => end - start === BYTES);
    if (mapping === undefined) throw new Error('the program has no such memory');
    return {
      mapping,
      base: mapping.inode === 0 ? undefined : `/proc/${pid}/map_files/${mapFile(mapping)}`,
      content: await opened(`/proc/${pid}/mem`),
      pagemap: await opened(`/proc/${pid}/pagemap`),
      firmware: { block: '', content: Buffer.alloc(0) },
      close: async () => undefined,
    };
  }

  /** Changes whole pages, parts of pages, and runs over the limits of chunks and sections. */
  async function changeBoth(program: PythonProgram, expected: Buffer): Promise<void> {
    const changes = [
      [0, 1, 1],
      [4096 * 3 + 100, 2, 5000],
      [16 * 2 ** 20 - 5000, 3, 10_000],
      [20 * 2 ** 20 + 1, 4, 3 * 2 ** 20],
      [BYTES - 1, 5, 1],
    ] as const;
    for (const [offset, byte, count] of changes) {
      expected.fill(byte, offset, offset + count);
      await program.ask(`${offset} ${byte} ${count}`);
    }
  }

  it('is that of its mapped file, which was removed, and its changes', async () => {
    const expected = Buffer.alloc(BYTES);
    for (let at = 0; at < BYTES; at += 4096) expected.writeUInt32LE(at + 7, at);
    expected.fill(0, 8 * 2 ** 20, 12 * 2 ** 20);
    const path = join(directory, 'base');
    await writeFile(path, expected);
    program = await startPython(MAPPER, [path, String(BYTES)]);
    await changeBoth(program, expected);
    const memory = await memoryOf(program);
    const copy = join(directory, 'copy');
    const target = await copyBase(memory, copy, undefined);
    files.push(target);
    await readChanged(memory, (at, pages) => writeFully(target, pages, at));
    expect((await readFile(copy)).equals(expected)).toBe(true);
    expect(await changedBytes(memory)).toBeGreaterThan(3 * 2 ** 20);
    expect(await changedBytes(memory)).toBeLessThan(4 * 2 ** 20);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });

  it('is what it has changed, and else zero, where no file is mapped', async () => {
    const expected = Buffer.alloc(BYTES);
    program = await startPython(MAPPER, ['', String(BYTES)]);
    await changeBoth(program, expected);
    const memory = await memoryOf(program);
    const copy = join(directory, 'copy');
    const target = await copyBase(memory, copy, undefined);
    files.push(target);
    await readChanged(memory, (at, pages) => writeFully(target, pages, at));
    expect((await readFile(copy)).equals(expected)).toBe(true);
  });

  it('is linked only if it is one of the known files', async () => {
    const path = join(directory, 'base');
    await writeFile(path, Buffer.alloc(BYTES, 1));
    const [known, other] = [join(directory, 'known'), join(directory, 'other')];
    await link(path, known);
    await writeFile(other, Buffer.alloc(BYTES, 1));
    program = await startPython(MAPPER, [path, String(BYTES)]);
    const memory = await memoryOf(program);
    const copy = join(directory, 'copy');
    expect(await linkBase(memory, copy, [join(directory, 'missing'), other])).toBe(false);
    expect(await linkBase(memory, copy, [other, known])).toBe(true);
    expect((await stat(copy)).ino).toBe((await stat(known)).ino);
  });

  it('is not copied into a file that exists', async () => {
    program = await startPython(MAPPER, ['', String(BYTES)]);
    const memory = await memoryOf(program);
    const copy = join(directory, 'copy');
    await writeFile(copy, 'other');
    await expect(copyBase(memory, copy, undefined)).rejects.toThrow('EEXIST');
    expect(await readFile(copy, 'utf8')).toBe('other');
  });

  it('is an error once the process has ended', async () => {
    program = await startPython(MAPPER, ['', String(BYTES)]);
    await program.ask('0 1 1');
    const memory = await memoryOf(program);
    await program.close();
    program = undefined;
    await expect(changedBytes(memory)).rejects.toThrow('ended');
    await expect(readChanged(memory, async () => undefined)).rejects.toThrow('ended');
  });
});
