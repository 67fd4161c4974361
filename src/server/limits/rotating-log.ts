import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Size of the log file at which it is put aside. */
const LIMIT = 8 * 1024 * 1024;
/** Bytes written between two looks at its size. */
const CHECK_EVERY = 256 * 1024;

/**
 * A destination for log lines on the descriptor `fd`. While that is the file that
 * `vc serve --detach` writes, it is copied to `serve.log.old` and emptied at 8 MiB. It is open for
 * appending, so later lines start at its new end; on a full disk it is only emptied.
 */
export function rotatingLog(
  destination: { write(line: string): unknown },
  stateDirectory: string,
  { fd, limit = LIMIT }: { readonly fd: number; readonly limit?: number },
): { write(line: string): void } {
  const path = join(stateDirectory, 'serve.log');
  let written = CHECK_EVERY;
  const rotate = () => {
    const own = fstatSync(fd);
    const file = statSync(path, { throwIfNoEntry: false });
    if (own.size <= limit || file?.ino !== own.ino || file.dev !== own.dev) return;
    try {
      copyFileSync(path, `${path}.old`);
    } finally {
      ftruncateSync(fd);
    }
  };
  return {
    write: (line) => {
      destination.write(line);
      written += line.length;
      if (written < Math.min(CHECK_EVERY, limit)) return;
      written = 0;
      try {
        rotate();
      } catch {
        // A log that cannot be rotated must not stop the service.
      }
    },
  };
}
