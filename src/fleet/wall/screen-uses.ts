import type { WallComputer } from '../../contract/sockets/wall.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import type { ComputerRecord } from '../store/records.js';

/** A recording, a stream, or the live view of a key. */
type ScreenUse =
  | { readonly kind: WallComputer['captures'][number] }
  | { readonly kind: 'view'; readonly owner: Owner };

/** What sees the screens of computers at the moment. */
export class ScreenUses {
  readonly #apiKeys: Pick<ApiKeys, 'nameOf'>;
  readonly #uses = new Map<string, Set<ScreenUse>>();
  readonly #listeners = new Set<(record: ComputerRecord) => void>();

  constructor(apiKeys: Pick<ApiKeys, 'nameOf'>) {
    this.#apiKeys = apiKeys;
  }

  /** Adds a use until the returned function is called, which is idempotent. */
  add(record: ComputerRecord, use: ScreenUse): () => void {
    const uses = this.#uses.get(record.id) ?? new Set();
    this.#uses.set(record.id, uses.add(use));
    this.#changed(record);
    return () => {
      if (!uses.delete(use)) return;
      if (uses.size === 0) this.#uses.delete(record.id);
      this.#changed(record);
    };
  }

  of(id: string): Pick<WallComputer, 'captures' | 'viewers'> {
    const uses = [...(this.#uses.get(id) ?? [])];
    return {
      captures: (['recording', 'stream'] as const).filter((kind) =>
        uses.some((use) => use.kind === kind),
      ),
      viewers: uses.flatMap((use) =>
        use.kind === 'view' ? [this.#apiKeys.nameOf(use.owner)] : [],
      ),
    };
  }

  /** Calls `listener` with each change. */
  onChange(listener: (record: ComputerRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(record: ComputerRecord): void {
    for (const listener of this.#listeners) listener(record);
  }
}
