/** Permission bits that no file of the service has: only its owner has access. */
const PRIVATE = 0o077;

/** Does synchronous work whose files and directories only their owner can read. */
export function withPrivateFiles<T>(work: () => T): T {
  const previous = process.umask(PRIVATE);
  try {
    return work();
  } finally {
    process.umask(previous);
  }
}
