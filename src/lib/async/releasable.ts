import { deferred } from './deferred.js';

/**
 * Runs `task` in a turn of a queue that ends with the task, or as soon as the task calls `release`.
 * Settles as the task does, or as the turn does if that fails first.
 */
export async function releasable<Given extends readonly unknown[], T>(
  turn: (work: (...given: Given) => Promise<unknown>) => Promise<unknown>,
  task: (release: () => void, ...given: Given) => Promise<T>,
): Promise<T> {
  const released = deferred<void>();
  const result = deferred<T>();
  await turn((...given) => {
    task(released.resolve, ...given).then(result.resolve, result.reject);
    return Promise.race([result.promise, released.promise]);
  });
  return result.promise;
}
