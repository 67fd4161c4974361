import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** MiB of objects and buffers in this process, without garbage. */
export function usedMib(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
