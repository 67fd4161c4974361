import type { Firmware } from './memory/guest-memory.js';

/** See migration/savevm.h and migration/ram.c of QEMU 7.2. Numbers are in network byte order. */
const MAGIC = 0x5145564d;
const VERSION = 3;
const SECTION = { end: 0x00, start: 0x01, full: 0x04, description: 0x06, configuration: 0x07 };
const SECTION_FOOTER = 0x7e;
const HEADER_BYTES = 8;

const RAM_VERSION = 4;
/** The number of the section in the stream; those of the devices are other sections' for QEMU. */
const RAM_SECTION = 0x7fff_ffff;
const RAM_FLAGS = { size: 0x04, page: 0x08, end: 0x10, sameBlock: 0x20 };
const PAGE_BYTES = 4096;

/**
 * QEMU's migration stream of a machine whose memory is in a file, made of the state of its devices
 * as `xen-save-devices-state` writes it. That command leaves out the machine's type, by which QEMU
 * rejects what it cannot load, and all memory, also the firmware's ROM.
 */
export function migrationStream(
  devices: Buffer,
  { machineType, firmware }: { readonly machineType: string; readonly firmware: Firmware },
): Buffer {
  const isKnown =
    devices.length > HEADER_BYTES &&
    devices.readUInt32BE(0) === MAGIC &&
    devices.readUInt32BE(4) === VERSION &&
    devices[HEADER_BYTES] === SECTION.full &&
    devices.at(-1) === SECTION.end;
  if (!isKnown) throw new Error('QEMU saves its devices in an unknown format');
  const type = Buffer.from(machineType);
  // QEMU logs an error where there is no description.
  const description = Buffer.from('{}');
  return Buffer.concat([
    devices.subarray(0, HEADER_BYTES),
    ...[byte(SECTION.configuration), int32(type.length), type],
    ...ramSection(firmware),
    devices.subarray(HEADER_BYTES),
    ...[byte(SECTION.description), int32(description.length), description],
  ]);
}

/** The content of one block of memory. */
function ramSection({ block, content }: Firmware): Buffer[] {
  const name = [byte(block.length), Buffer.from(block)];
  const parts = [
    ...[byte(SECTION.start), int32(RAM_SECTION), byte(3), Buffer.from('ram')],
    ...[int32(0), int32(RAM_VERSION)],
    ...[int64(content.length | RAM_FLAGS.size), ...name, int64(content.length)],
  ];
  for (let at = 0; at < content.length; at += PAGE_BYTES) {
    const page = content.subarray(at, at + PAGE_BYTES);
    if (at === 0) parts.push(int64(at | RAM_FLAGS.page), ...name, page);
    else parts.push(int64(at | RAM_FLAGS.page | RAM_FLAGS.sameBlock), page);
  }
  return [...parts, int64(RAM_FLAGS.end), byte(SECTION_FOOTER), int32(RAM_SECTION)];
}

function byte(value: number): Buffer {
  return Buffer.of(value);
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function int64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
}
