import type { Engine } from '../../engines/engine.js';
import { onAbort } from '../../lib/async/abort.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Reconciler } from './reconcile.js';

const RECONCILE_EVERY_MS = 30_000;
const RETRY_MS = { first: 250, most: 4_000 };

/**
 * Follows an engine while the service runs: reconciles when it (re)appears and every 30 seconds,
 * applies its events in between, and reconnects after it was away. Its absence is logged as a
 * warning only if `matters`, for example because computers use it.
 */
export async function watchEngine(
  engine: Engine,
  reconciler: Reconciler,
  log: Log,
  signal: AbortSignal,
  matters: () => boolean,
): Promise<void> {
  let pause = RETRY_MS.first;
  let reported = '';
  while (!signal.aborted) {
    try {
      await follow(engine, reconciler, signal, () => {
        if (reported) log.info({ engine: engine.name }, 'engine is back');
        reported = '';
        pause = RETRY_MS.first;
      });
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorMessage(error);
      const level = matters() ? 'warn' : 'debug';
      if (reason !== reported) log[level]({ engine: engine.name, reason }, 'engine is away');
      reported = reason;
    }
    await sleep(pause, signal).catch(() => undefined);
    pause = Math.min(pause * 2, RETRY_MS.most);
  }
}

async function follow(
  engine: Engine,
  reconciler: Reconciler,
  parent: AbortSignal,
  onContact: () => void,
): Promise<void> {
  const controller = new AbortController();
  const dispose = onAbort(parent, (reason) => controller.abort(reason));
  const { signal } = controller;
  try {
    // Listening starts before the list is read, so nothing that happens in between is missed.
    const events = engine.watch(signal)[Symbol.asyncIterator]();
    const first = events.next();
    first.catch(() => undefined);
    await reconciler.run(engine, signal);
    onContact();
    const timer = setInterval(() => {
      reconciler.run(engine, signal).catch((error) => controller.abort(error));
    }, RECONCILE_EVERY_MS);
    try {
      for (let next = await first; !next.done; next = await events.next()) {
        reconciler.apply(engine, next.value);
      }
    } finally {
      clearInterval(timer);
    }
  } finally {
    dispose();
    controller.abort();
  }
}
