import type { Element, Elements } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { Queue } from '../../lib/async/queue.js';
import {
  findElement,
  listElements,
  SlowList,
  type WalkRequest,
} from '../../shell/elements/elements.js';
import { noTree } from '../../shell/elements/parse.js';
import type { Shell } from '../../shell/types.js';
import { dropIfFrozen } from '../actions/perform-input.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';

/** Milliseconds for a walk in the guest, and for the start of its program. */
const WALK_MS = {
  native: { walk: 2_000, start: 10_000 },
  // On a busy host, Python alone has taken 10 s to start.
  emulated: { walk: 40_000, start: 40_000 },
} as const;
/** Milliseconds for connecting, besides those of the walk. */
const MARGIN_MS = 5_000;

interface Waiting {
  limit: number;
  readonly result: Promise<Elements>;
}

/**
 * The walks through the accessibility tree of one computer, one at a time: programs have crashed when
 * several asked them at once. Requests that come during a walk share the next one.
 */
export class Walks {
  readonly #session: Session;
  readonly #queue = new Queue();
  #waiting: Waiting | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Lists at least `limit` elements, if there are so many. */
  list(limit: number): Promise<Elements> {
    if (this.#waiting) {
      this.#waiting.limit = Math.max(this.#waiting.limit, limit);
      return this.#waiting.result;
    }
    const result = this.#queue.run(() => {
      const most = this.#waiting?.limit ?? limit;
      this.#waiting = undefined;
      return this.#walk((shell, request) => listElements(shell, { ...request, limit: most }));
    });
    // Those who asked may have left.
    result.catch(() => undefined);
    this.#waiting = { limit, result };
    return result;
  }

  /** An element as it is now; undefined when it is gone or hidden. Who has left is not looked for. */
  find(id: string, signal?: AbortSignal): Promise<Element | undefined> {
    const found = this.#queue.run(
      () => this.#walk((shell, request) => findElement(shell, id, request)),
      signal,
    );
    found.catch(() => undefined);
    return found;
  }

  async #walk<T>(
    work: (shell: Shell, request: Omit<WalkRequest, 'limit'>) => Promise<T>,
  ): Promise<T> {
    const session = this.#session;
    const { isolation, programs } = await session.describe();
    if (programs === 'wine') throw noTree();
    const { walk: walkMs, start: startMs } =
      WALK_MS[isolation === 'emulated' ? 'emulated' : 'native'];
    const message = 'The computer did not list the elements of its screen in time.';
    return withGuestDeadline(walkMs + startMs + MARGIN_MS, message, undefined, async (signal) => {
      const { width, height } = await session.screen.use(async ({ size }) => size, signal);
      return session.shell.use(
        (shell) => work(shell, { width, height, walkMs, startMs, signal }),
        signal,
      );
    }).catch((error) => {
      // Other commands and waits of the computer use the connection.
      if (!(error instanceof SlowList)) dropIfFrozen(session.shell, error);
      // Another operating system may have no bash.
      const isForeign = programs === 'native' && error instanceof ApiError;
      throw isForeign && error.code === 'guest_failed' ? noTree() : error;
    });
  }
}
