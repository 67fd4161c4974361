import { expect, it } from 'vitest';
import { parseBlocks } from '../../../../../../src/engines/qemu/snapshots/fork/memory/guest-memory.js';
import {
  mapFile,
  parseMappings,
} from '../../../../../../src/engines/qemu/snapshots/fork/memory/mappings.js';

it('mappings of files and of anonymous memory are read from /proc/PID/maps', () => {
  const text = `55f0a0000000-55f0a0001000 r-xp 00000000 fe:00 77    /usr/bin/qemu
7f0000000000-7f0080000000 rw-p 00000000 fe:00 1234567                    /x/memory (deleted)
7fff00000000-7fff00021000 rw-p 00000000 00:00 0                          [stack]
nonsense
`;
  const [program, memory, stack, ...others] = parseMappings(text);
  expect(others).toEqual([]);
  expect(program).toMatchObject({ permissions: 'r-xp', inode: 77 });
  expect(memory).toEqual({
    ...{ start: 0x7f0000000000, end: 0x7f0080000000 },
    ...{ permissions: 'rw-p', inode: 1234567 },
  });
  expect(stack?.inode).toBe(0);
  expect(memory && mapFile(memory)).toBe('7f0000000000-7f0080000000');
});

it('the sizes of the memory blocks of QEMU are read from its table', () => {
  const text = [
    '              Block Name    PSize              Offset               Used              Total',
    '                     ram    4 KiB  0x0000000000000000 0x0000000080000000 0x0000000080000000',
    '                 pc.bios    4 KiB  0x0000000080000000 0x0000000000040000 0x0000000000040000',
    '    /rom@etc/acpi/tables    4 KiB  0x0000000080060000 0x0000000000020000 0x0000000000200000',
    '',
  ].join('\r\n');
  expect(Object.fromEntries(parseBlocks(text))).toEqual({
    ram: 2 ** 31,
    'pc.bios': 0x40000,
    '/rom@etc/acpi/tables': 0x20000,
  });
  expect(() => parseBlocks('header\nram and something else\n')).toThrow('unknown way');
});
