import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateFile } from '../../../../../src/engines/qemu/snapshots/fork/state-file.js';

const HEADER = 'QEVM\x00\x00\x00\x03';
const DEVICES = Buffer.from(`${HEADER}\x04devices\x00`, 'latin1');
const firmware = { block: 'pc.bios', content: Buffer.alloc(8192, 0xf4) };

describe('the saved state of a copy that maps its memory', () => {
  let directory: string;
  let path: string;
  let state: StateFile;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vc-state-'));
    path = join(directory, 'state');
    state = await StateFile.create(path, { machineType: 'pc-q35-7.2', firmware });
  });
  afterEach(async () => {
    await state.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("is the devices' with the machine's type, the firmware and changed pages before them", async () => {
    const pages = Buffer.concat([Buffer.alloc(4096, 'a'), Buffer.alloc(4096, 'b')]);
    await state.addPages(0x1_7fff_f000, pages);
    await state.finish(DEVICES);
    const file = await readFile(path);
    let at = 0;
    const next = (bytes: number) => {
      at += bytes;
      return file.toString('latin1', at - bytes, at);
    };
    expect(next(8)).toBe(HEADER);
    expect(next(15)).toBe('\x07\x00\x00\x00\x0apc-q35-7.2');
    expect(next(9)).toBe('\x01\x7f\xff\xff\xff\x03ram');
    // Instance 0, version 4, then the size with its flag, the block and its size.
    expect(next(16)).toBe('\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x20\x04');
    expect(next(16)).toBe('\x07pc.bios\x00\x00\x00\x00\x00\x00\x20\x00');
    const firmwarePage = Buffer.alloc(4096, 0xf4).toString('latin1');
    expect(next(16 + 4096)).toBe(`\x00\x00\x00\x00\x00\x00\x00\x08\x07pc.bios${firmwarePage}`);
    expect(next(16 + 4096)).toBe(`\x00\x00\x00\x00\x00\x00\x10\x08\x07pc.bios${firmwarePage}`);
    expect(next(12 + 4096)).toBe(`\x00\x00\x00\x01\x7f\xff\xf0\x08\x03ram${'a'.repeat(4096)}`);
    expect(next(12 + 4096)).toBe(`\x00\x00\x00\x01\x80\x00\x00\x08\x03ram${'b'.repeat(4096)}`);
    expect(next(13)).toBe('\x00\x00\x00\x00\x00\x00\x00\x10\x7e\x7f\xff\xff\xff');
    expect(next(file.length)).toBe('\x04devices\x00\x06\x00\x00\x00\x02{}');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another version', Buffer.from('QEVM\x00\x00\x00\x04\x04x\x00', 'latin1')],
    ['a stream that has a type', Buffer.from(`${HEADER}\x07x\x00`, 'latin1')],
    ['a stream without its end', DEVICES.subarray(0, -1)],
  ])('cannot be made of %s', async (_, devices) => {
    await expect(state.finish(devices)).rejects.toThrow('format');
  });

  it('is not written into a file that exists', async () => {
    const again = StateFile.create(path, { machineType: 'pc-q35-7.2', firmware });
    await expect(again).rejects.toThrow('EEXIST');
  });
});
