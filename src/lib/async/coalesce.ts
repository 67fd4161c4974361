/**
 * A function that starts `task` unless it runs; calls during a run cause one more run after it. Its
 * failures are ignored.
 */
export function coalesce(task: () => Promise<void>): () => void {
  let isRunning = false;
  let again = false;
  const run = async () => {
    isRunning = true;
    do {
      again = false;
      await task().catch(() => undefined);
    } while (again);
    isRunning = false;
  };
  return () => {
    again = true;
    if (!isRunning) void run();
  };
}
