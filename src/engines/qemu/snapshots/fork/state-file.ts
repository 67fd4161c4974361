import { type FileHandle, open } from 'node:fs/promises';
import { type Firmware, GUEST_BLOCK } from './memory/guest-memory.js';
import { PAGE_BYTES } from './memory/pagemap.js';
import { writeFully } from './memory/write-fully.js';

/** See migration/savevm.h and migration/ram.c of QEMU 7.2. Numbers are in network byte order. */
const MAGIC = 0x5145564d;
const VERSION = 3;
const SECTION = { end: 0x00, start: 0x01, full: 0x04, description: 0x06, configuration: 0x07 };
const SECTION_FOOTER = 0x7e;
const HEADER_BYTES = 8;

const RAM_VERSION = 4;
const BUFFER_BYTES = 1 << 20;
/** The number of the section in the stream; those of the devices are other sections' for QEMU. */
const RAM_SECTION = 0x7fff_ffff;
const RAM_FLAGS = { size: 0x04, page: 0x08, end: 0x10 };

/**
 * QEMU's migration stream of a machine that maps a file with its memory, made of the state of its
 * devices as `xen-save-devices-state` writes it. That command leaves out the machine's type, by which
 * QEMU rejects what it cannot load, and all memory, also the firmware's ROM. The stream may contain
 * pages of the guest's memory as well, which QEMU loads into its private mapping.
 */
export class StateFile {
  readonly #file: FileHandle;
  /** The first is filled while the second is written. Filled now: their first use takes longer. */
  #buffers: readonly [Buffer, Buffer] = [filledBuffer(), filledBuffer()];
  #used = 0;
  /** Where in the file the first buffer belongs. */
  #end = 0;
  #writing: Promise<void> = Promise.resolve();

  /** Creates the file, which must not exist. */
  static async create(
    path: string,
    { machineType, firmware }: { readonly machineType: string; readonly firmware: Firmware },
  ): Promise<StateFile> {
    const state = new StateFile(await open(path, 'wx', 0o600));
    try {
      const type = Buffer.from(machineType);
      await state.#append(
        ...[int32(MAGIC), int32(VERSION)],
        ...[byte(SECTION.configuration), int32(type.length), type],
        ...[byte(SECTION.start), int32(RAM_SECTION), ...name('ram'), int32(0), int32(RAM_VERSION)],
        int64(firmware.content.length | RAM_FLAGS.size),
        ...[...name(firmware.block), int64(firmware.content.length)],
      );
      await state.#addPages(firmware.block, 0, firmware.content);
      return state;
    } catch (error) {
      await state.close();
      throw error;
    }
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Adds pages of the guest's memory from its byte `at` on, in any order but one call at a time. */
  async addPages(at: number, pages: Buffer): Promise<void> {
    await this.#addPages(GUEST_BLOCK, at, pages);
  }

  /** Adds the devices; the file is complete then. */
  async finish(devices: Buffer): Promise<void> {
    const isKnown =
      devices.length > HEADER_BYTES &&
      devices.readUInt32BE(0) === MAGIC &&
      devices.readUInt32BE(4) === VERSION &&
      devices[HEADER_BYTES] === SECTION.full &&
      devices.at(-1) === SECTION.end;
    if (!isKnown) throw new Error('QEMU saves its devices in an unknown format');
    // QEMU logs an error where there is no description.
    const description = Buffer.from('{}');
    await this.#append(
      ...[int64(RAM_FLAGS.end), byte(SECTION_FOOTER), int32(RAM_SECTION)],
      devices.subarray(HEADER_BYTES),
      ...[byte(SECTION.description), int32(description.length), description],
    );
    await this.#flush();
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.close();
  }

  /** Each page with its address and block before it. */
  async #addPages(block: string, at: number, pages: Buffer): Promise<void> {
    const label = Buffer.concat(name(block));
    const head = 8 + label.length;
    for (let from = 0; from < pages.length; from += PAGE_BYTES) {
      if (this.#used + head + PAGE_BYTES > BUFFER_BYTES) await this.#flush();
      const [buffer] = this.#buffers;
      // An address has more than 32 bits; the flags are below the size of a page.
      buffer.writeUInt32BE(Math.floor((at + from) / 2 ** 32), this.#used);
      buffer.writeUInt32BE(((at + from) % 2 ** 32) + RAM_FLAGS.page, this.#used + 4);
      label.copy(buffer, this.#used + 8);
      pages.copy(buffer, this.#used + head, from, from + PAGE_BYTES);
      this.#used += head + PAGE_BYTES;
    }
  }

  async #append(...parts: readonly Buffer[]): Promise<void> {
    for (const part of parts) {
      for (let done = 0; done < part.length; ) {
        if (this.#used === BUFFER_BYTES) await this.#flush();
        const copied = part.copy(this.#buffers[0], this.#used, done);
        this.#used += copied;
        done += copied;
      }
    }
  }

  /** Begins to write the buffer, once the other one has been written. */
  async #flush(): Promise<void> {
    await this.#writing;
    const [full, empty] = this.#buffers;
    this.#writing = writeFully(this.#file, full.subarray(0, this.#used), this.#end);
    // Reported by the next call that waits.
    this.#writing.catch(() => undefined);
    this.#end += this.#used;
    this.#buffers = [empty, full];
    this.#used = 0;
  }
}

function filledBuffer(): Buffer {
  return Buffer.alloc(BUFFER_BYTES, 0xff);
}

function name(text: string): [Buffer, Buffer] {
  return [byte(text.length), Buffer.from(text)];
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
