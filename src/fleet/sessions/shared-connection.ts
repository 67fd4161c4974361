import { ApiError } from '../../contract/errors.js';
import { abortable } from '../../lib/async/abort.js';
import { SpareConnections } from './spare-connections.js';

interface Connection {
  readonly open: boolean;
  /** True if it has to stay open although nobody uses it. */
  readonly holdsText?: boolean;
  /** The same: keys or buttons stay pressed, or programs that were left running hold their output. */
  readonly holding?: boolean;
  close(): void;
  /** Closes it although it is {@link holding}. */
  destroy?(): void;
}

/** Most connections of {@link SharedConnection.drop} that programs hold. */
const MOST_DROPPED = 2;

/** What a connection was used for: for the computer, or to look at it in the service's own interest. */
export type LastUse = 'use' | 'watch';

/** A connection that is opened on demand, shared by all who need it and dropped when idle. */
export class SharedConnection<C extends Connection> {
  readonly #connect: (signal: AbortSignal) => Promise<C>;
  readonly #idleMs: number | ((lastUse: LastUse) => number);
  #pending: { readonly connection: Promise<C>; readonly opening: AbortController } | undefined;
  #current: C | undefined;
  #users = 0;
  /** Those of {@link watch}. */
  #watchers = 0;
  #idle: NodeJS.Timeout | undefined;
  #lastUse: LastUse = 'use';
  #dropped: readonly C[] = [];
  readonly #spares: SpareConnections;
  /** Since it was opened, for more than {@link prepare}. */
  #wasUsed = false;

  /**
   * @param connect must give up when its signal is aborted
   * @param idleMs for how long it stays open after its last use
   * @param spares bounds the connections that {@link prepare} opened
   */
  constructor(
    connect: (signal: AbortSignal) => Promise<C>,
    idleMs: number | ((lastUse: LastUse) => number),
    spares = new SpareConnections(),
  ) {
    this.#connect = connect;
    this.#idleMs = idleMs;
    this.#spares = spares;
  }

  /** The connection if it is open; to look at it keeps it no longer open. */
  get present(): C | undefined {
    return this.#current?.open ? this.#current : undefined;
  }

  /** Whether someone uses it; watching does not count. */
  get inUse(): boolean {
    return this.#users > this.#watchers;
  }

  /** Runs `work` with the open connection; it stays open at least as long as `work` runs. */
  async use<T>(work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#wasUsed = true;
    return this.#use(work, signal, 'use');
  }

  /** Like {@link use}, to open it for later uses: one of many such connections may be closed again. */
  prepare<T>(work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#use(work, signal, 'use');
  }

  async #use<T>(
    work: (connection: C) => Promise<T>,
    signal: AbortSignal | undefined,
    kind: LastUse,
  ): Promise<T> {
    this.#spares.delete(this);
    this.#users += 1;
    clearTimeout(this.#idle);
    try {
      return await work(await abortable(this.#get(), signal));
    } finally {
      this.#users -= 1;
      this.#lastUse = kind;
      if (this.#users === 0) this.#rest();
    }
  }

  /** Like {@link use}, for work of the service itself, which is no use of the computer. */
  async watch<T>(work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#watchers += 1;
    this.#wasUsed = true;
    try {
      return await this.#use(work, signal, 'watch');
    } finally {
      this.#watchers -= 1;
    }
  }

  /**
   * Closes an unresponsive connection; one that is being opened is kept. It stays up while programs
   * hold it, unless later ones were dropped.
   */
  drop(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    current.close();
    const held = [...this.#dropped, current].filter(({ holding, destroy }) => holding && destroy);
    this.#dropped = held.slice(-MOST_DROPPED);
    for (const oldest of held.slice(0, -MOST_DROPPED)) oldest.destroy?.();
  }

  /** Ends the connection; the next use opens a new one. */
  close(): void {
    clearTimeout(this.#idle);
    this.#spares.delete(this);
    this.#wasUsed = this.#users > 0;
    const pending = this.#pending;
    this.#current?.close();
    this.#current = undefined;
    this.#pending = undefined;
    if (pending === undefined) return;
    // Abort a connection attempt; if it succeeds anyway, close the connection.
    pending.opening.abort(
      new ApiError('guest_failed', 'The connection to the computer was closed.'),
    );
    void pending.connection.then((connection) => connection.close()).catch(() => undefined);
  }

  #get(): Promise<C> {
    if (this.#current?.open) return Promise.resolve(this.#current);
    if (this.#pending) return this.#pending.connection;
    const opening = new AbortController();
    const pending = { connection: this.#connect(opening.signal), opening };
    this.#pending = pending;
    const settle = (connection?: C) => {
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      this.#current = connection;
    };
    pending.connection.then(settle, () => settle());
    return pending.connection;
  }

  #rest(): void {
    const ms = typeof this.#idleMs === 'number' ? this.#idleMs : this.#idleMs(this.#lastUse);
    this.#idle = setTimeout(() => {
      const { open, holdsText, holding } = this.#current ?? {};
      if (open && (holdsText || holding)) this.#rest();
      else this.close();
    }, ms);
    this.#idle.unref();
    if (!this.#wasUsed) this.#spares.add(this);
  }
}
