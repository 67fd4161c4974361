import { describe, expect, it, vi } from 'vitest';
import { ChunkReader } from '../../src/broadcast/rtmp/chunk-reader.js';
import { writeMessage } from '../../src/broadcast/rtmp/chunks.js';
import { promise } from '../support/run/promise.js';

const MiB = 1 << 20;

/** The header of a message of `length` bytes on a chunk stream. */
function header(chunkStream: number, length: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes[0] = chunkStream;
  bytes.writeUIntBE(length, 4, 3);
  bytes[7] = 20;
  return bytes;
}

function chunkSize(size: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(size);
  return writeMessage({ type: 1, stream: 0, timestamp: 0, data }, 2, 128);
}

/** Chunks that continue a message on `chunkStream`, of `size` bytes each. */
function continued(chunkStream: number, size: number, count: number): Buffer {
  const chunk = Buffer.concat([Buffer.of(0xc0 | chunkStream), Buffer.alloc(size)]);
  return Buffer.concat(Array.from({ length: count }, () => chunk));
}

/** Bytes that are copied, and allocated, while `work` runs. */
function copiedBy(work: () => void): number {
  let copied = 0;
  const { concat, from } = Buffer;
  const { copy } = Buffer.prototype;
  const spies = [
    vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
      const joined = concat(list, length);
      copied += joined.length;
      return joined;
    }),
    vi.spyOn(Buffer, 'from').mockImplementation(((...parameters: Parameters<typeof from>) => {
      const buffer = from(...parameters);
      copied += buffer.length;
      return buffer;
    }) as typeof from),
    vi.spyOn(Buffer.prototype, 'copy').mockImplementation(function (this: Buffer, ...rest) {
      const count = copy.apply(this, rest);
      copied += count;
      return count;
    }),
  ];
  try {
    work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return copied;
}

describe('a hostile RTMP server', () => {
  promise(29, 'cannot freeze the service with chunks of one byte', (report) => {
    const bytes = Buffer.concat([
      chunkSize(1),
      header(3, MiB - 1),
      continued(3, 1, 300_000).subarray(1),
    ]);
    const startedAt = performance.now();
    expect(() => new ChunkReader().push(bytes)).toThrow('a chunk size of 1');
    const ms = performance.now() - startedAt;
    report(`600 KB of RTMP chunks refused in ${ms.toFixed(0)} ms`);
  });

  promise(29, 'costs constant work per byte', (report) => {
    const [size, length] = [128, 128 * 1024];
    const message = Buffer.concat([
      header(3, length),
      Buffer.alloc(size),
      continued(3, size, length / size - 1),
    ]);
    for (const piece of [1, 100, 65_536]) {
      const reader = new ChunkReader();
      let received = 0;
      const copied = copiedBy(() => {
        for (let at = 0; at < message.length; at += piece) {
          received += reader.push(message.subarray(at, at + piece)).length;
        }
      });
      expect(received).toBe(1);
      expect(copied / message.length).toBeLessThan(5);
      report(`${(copied / message.length).toFixed(1)} bytes copied per byte of RTMP`);
    }
  });

  it('cannot make the service allocate announced but unsent bytes', () => {
    const reader = new ChunkReader();
    const before = process.memoryUsage().arrayBuffers;
    for (let stream = 3; stream < 60; stream++) {
      reader.push(Buffer.concat([header(stream, MiB), Buffer.alloc(128)]));
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MiB);
  });

  it('is limited in the bytes of unfinished messages', () => {
    const reader = new ChunkReader();
    reader.push(chunkSize(MiB - 1));
    const push = () => {
      for (let stream = 3; stream < 60; stream++) {
        reader.push(header(stream, MiB));
        reader.push(Buffer.alloc(MiB - 1));
      }
    };
    expect(push).toThrow('too many incomplete messages');
  });

  it('cannot change the length of an unfinished message', () => {
    const reader = new ChunkReader();
    reader.push(Buffer.concat([header(3, 1000), Buffer.alloc(128)]));
    expect(() => reader.push(header(3, 200))).toThrow('inside another');
  });
});

it('an aborted message is dropped, and its chunk stream continues', () => {
  const stream = Buffer.alloc(4);
  stream.writeUInt32BE(3);
  const abort = writeMessage({ type: 2, stream: 0, timestamp: 0, data: stream }, 2, 128);
  const next = { type: 20, stream: 0, timestamp: 0, data: Buffer.from('next') };
  const reader = new ChunkReader();
  reader.push(Buffer.concat([header(3, 1000), Buffer.alloc(128), abort]));
  expect(reader.push(writeMessage(next, 3, 128))).toEqual([next]);
});
