import { abortable } from './time.js';

interface Connection {
  readonly open: boolean;
  close(): void;
}

/** A connection that is opened on demand, shared by all who need it and dropped when idle. */
export class Link<C extends Connection> {
  readonly #connect: () => Promise<C>;
  readonly #idleMs: number;
  #pending: Promise<C> | undefined;
  #current: C | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(connect: () => Promise<C>, idleMs: number) {
    this.#connect = connect;
    this.#idleMs = idleMs;
  }

  get inUse(): boolean {
    return this.#users > 0;
  }

  /** Runs `work` with the open connection; it stays open at least as long as `work` runs. */
  async use<T>(work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#users += 1;
    clearTimeout(this.#idle);
    try {
      return await work(await abortable(this.#get(), signal));
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#rest();
    }
  }

  /** Ends the connection; the next use opens a new one. */
  close(): void {
    clearTimeout(this.#idle);
    const pending = this.#pending;
    this.#current?.close();
    this.#current = undefined;
    this.#pending = undefined;
    // One that is still being opened is closed as soon as it is there.
    void pending?.then((connection) => connection.close()).catch(() => undefined);
  }

  #get(): Promise<C> {
    if (this.#current?.open) return Promise.resolve(this.#current);
    if (this.#pending) return this.#pending;
    const pending = this.#connect();
    this.#pending = pending;
    const settle = (connection?: C) => {
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      this.#current = connection;
    };
    pending.then(settle, () => settle());
    return pending;
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.close(), this.#idleMs);
    this.#idle.unref();
  }
}
