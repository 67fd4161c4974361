import type { Writable } from 'node:stream';

/**
 * Makes a stream send what is written to it in one turn of the event loop in one system call: the
 * program at the other end, and each one between, then wakes up once.
 */
export function joinWrites(stream: Writable): void {
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  let isCorked = false;
  stream.write = (...words: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(...words);
  };
}
