import { describe, expect, it } from 'vitest';
import { migrationStream } from '../../../../../src/engines/qemu/snapshots/fork/state-stream.js';

const HEADER = Buffer.from('QEVM\x00\x00\x00\x03', 'latin1');
const DEVICES = Buffer.concat([HEADER, Buffer.from([4]), Buffer.from('devices'), Buffer.of(0)]);
const firmware = { block: 'pc.bios', content: Buffer.alloc(8192, 0xf4) };

describe('the saved state of a copy whose memory is in a file', () => {
  it("is the devices' with the machine's type and the firmware before them", () => {
    const stream = migrationStream(DEVICES, { machineType: 'pc-q35-7.2', firmware });
    expect(stream.subarray(0, 8)).toEqual(HEADER);
    expect(stream.subarray(8, 23).toString('latin1')).toBe('\x07\x00\x00\x00\x0apc-q35-7.2');
    const ram = stream.subarray(23);
    expect(ram.subarray(0, 9).toString('latin1')).toBe('\x01\x7f\xff\xff\xff\x03ram');
    // Instance 0, version 4, then the size with its flag, the block and its size.
    expect(ram.subarray(9, 25).toString('hex')).toBe('00000000000000040000000000002004');
    expect(ram.subarray(25, 41).toString('latin1')).toBe(
      '\x07pc.bios\x00\x00\x00\x00\x00\x00\x20\x00',
    );
    // The first page names its block, the second one is in the same.
    expect(ram.subarray(41, 57).toString('latin1')).toBe(
      '\x00\x00\x00\x00\x00\x00\x00\x08\x07pc.bios',
    );
    expect(ram.subarray(57, 57 + 4096)).toEqual(firmware.content.subarray(0, 4096));
    const second = 57 + 4096;
    expect(ram.subarray(second, second + 8).toString('hex')).toBe('0000000000001028');
    const end = second + 8 + 4096;
    expect(ram.subarray(end, end + 13).toString('hex')).toBe('00000000000000107e7fffffff');
    const rest = ram.subarray(end + 13).toString('latin1');
    expect(rest).toBe('\x04devices\x00\x06\x00\x00\x00\x02{}');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another version', Buffer.from('QEVM\x00\x00\x00\x04\x04x\x00', 'latin1')],
    ['a stream that has a type', Buffer.from('QEVM\x00\x00\x00\x03\x07x\x00', 'latin1')],
    ['a stream without its end', DEVICES.subarray(0, -1)],
  ])('cannot be made of %s', (_, devices) => {
    expect(() => migrationStream(devices, { machineType: 'q35', firmware })).toThrow('format');
  });
});
