import type { FileSession } from '../files/session.js';

/** Bytes of one write: OpenSSH's largest packet (256 KiB) without the packet's header. */
const MOST_AT_ONCE = 254 * 1024;
/** Most bytes in flight. More would be slower, because they no longer fit into the caches. */
const MOST_WAITING = 1024 * 1024;

/**
 * Writes chunks to an open file with several requests in flight. Combines the chunks that arrive
 * meanwhile, because every write costs the guest a reply.
 */
export class SftpWriter {
  readonly #session: FileSession;
  readonly #handle: Buffer;
  #sent = 0;
  #waiting = 0;
  #gathered: Buffer[] = [];
  #size = 0;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(session: FileSession, handle: Buffer) {
    this.#session = session;
    this.#handle = handle;
  }

  /** Bytes written and about to be written. */
  get position(): number {
    return this.#sent + this.#size;
  }

  /** Waits while too much is in flight. */
  async write(chunk: Buffer): Promise<void> {
    if (this.#size + chunk.length > MOST_AT_ONCE) this.#send();
    this.#gathered.push(chunk);
    this.#size += chunk.length;
    if (this.#waiting === 0) this.#send();
    await this.#room(MOST_WAITING);
  }

  /** Resolves when everything has been written. */
  async flush(): Promise<void> {
    this.#send();
    await this.#room(0);
  }

  #send(): void {
    if (this.#size === 0) return;
    const [first] = this.#gathered;
    const chunk =
      this.#gathered.length === 1 && first !== undefined ? first : Buffer.concat(this.#gathered);
    const at = this.#sent;
    this.#sent += this.#size;
    this.#waiting += this.#size;
    this.#gathered = [];
    this.#size = 0;
    const { sftp } = this.#session;
    this.#session
      .data<void>((done) =>
        sftp.write(this.#handle, chunk, 0, chunk.length, at, (error) => done(error, undefined)),
      )
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#waiting -= chunk.length;
        if (this.#waiting === 0 && this.#failure === undefined) this.#send();
        this.#wake();
      });
  }

  async #room(most: number): Promise<void> {
    while (this.#waiting > most && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}
