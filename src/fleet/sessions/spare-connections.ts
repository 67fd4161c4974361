/** Connections that were opened ahead of their first use and are kept for it. */
export const MOST_SPARE = 32;

/**
 * Keeps the last connections that were opened ahead of their use, and closes earlier ones: a screen
 * holds its whole picture, and a thousand computers may be created at once.
 */
export class SpareConnections {
  readonly #most: number;
  readonly #spare = new Set<{ close(): void }>();

  constructor(most = MOST_SPARE) {
    this.#most = most;
  }

  /** Adds a connection that is open and not in use. */
  add(connection: { close(): void }): void {
    this.#spare.delete(connection);
    this.#spare.add(connection);
    if (this.#spare.size <= this.#most) return;
    for (const oldest of this.#spare) {
      this.#spare.delete(oldest);
      oldest.close();
      return;
    }
  }

  /** The connection is used, or closed. */
  delete(connection: { close(): void }): void {
    this.#spare.delete(connection);
  }
}
