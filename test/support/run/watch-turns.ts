/** Measures the processor time of the longest turn of the event loop until it is ended. */
export function watchTurns(): () => number {
  let longest = 0;
  let last = process.cpuUsage();
  let isEnded = false;
  const turn = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isEnded = true;
    return longest;
  };
}
