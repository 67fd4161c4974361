import type { BatchAction } from '../../contract/actions/batch.js';
import type { Action } from '../../contract/resources.js';
import type { TextToType } from '../secrets/secrets.js';

/** What the actions of a request do, for the details of its entry. */
export class ActionCounts {
  readonly #usedBy: (texts: readonly TextToType[]) => string[];
  readonly #counts = new Map<string, number>();
  readonly #secrets = new Set<string>();

  /** `usedBy` finds the secrets that exist: a name costs space, and a project has at most 100. */
  constructor(usedBy: (texts: readonly TextToType[]) => string[]) {
    this.#usedBy = usedBy;
  }

  /** Actions of a batch or of a model's turn, when they begin. */
  add(actions: readonly BatchAction[]): void {
    for (const { action } of actions) {
      this.#counts.set(action, (this.#counts.get(action) ?? 0) + 1);
    }
    this.type(actions.filter((one) => one.action === 'type'));
  }

  /** Texts, when they begin to be typed. */
  type(texts: readonly TextToType[]): void {
    for (const name of this.#usedBy(texts)) this.#secrets.add(name);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#secrets.size === 0;
  }

  /** Counts by kind and names of secrets. Both are complete, whatever the client's order. */
  get detail(): Action['detail'] {
    const actions = [...this.#counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
    const secrets = [...this.#secrets].join(' ');
    return { ...(actions !== '' && { actions }), ...(secrets !== '' && { secrets }) };
  }
}
