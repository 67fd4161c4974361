/**
 * Rows of a table by id. Always current: this process is the only writer, and reports each change of
 * a row with {@link changed}.
 */
export class RowCache<Row extends { readonly id: string }> {
  readonly #read: (id: string) => Row | undefined;
  readonly #readAll: () => Row[];
  readonly #rows = new Map<string, Row>();
  /** How many times rows were reported as changed. */
  #changes = 0;
  /** Rows to read again, once {@link #rows} has all others. */
  #changed: Set<string> | undefined;

  constructor(read: (id: string) => Row | undefined, readAll: () => Row[]) {
    this.#read = read;
    this.#readAll = readAll;
  }

  /** Grows with each report of a change. */
  get changes(): number {
    return this.#changes;
  }

  find(id: string): Row | undefined {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = this.#read(id);
    this.#changed?.delete(id);
    if (row !== undefined) this.#rows.set(id, row);
    return row;
  }

  /** Reads the table once, and afterwards only what has changed. */
  all(): Row[] {
    if (this.#changed === undefined) {
      for (const row of this.#readAll()) this.#rows.set(row.id, row);
      this.#changed = new Set();
    }
    for (const id of this.#changed) this.find(id);
    return [...this.#rows.values()];
  }

  /** The row is about to be inserted, changed or removed. */
  changed(id: string): void {
    this.#changes += 1;
    this.#rows.delete(id);
    this.#changed?.add(id);
  }

  /** Rows may have changed that were not reported. */
  clear(): void {
    this.#changes += 1;
    this.#rows.clear();
    this.#changed = undefined;
  }
}
