import { ApiError } from '../../contract/errors.js';
import type { Control } from '../../contract/resources/control.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import { inCommands } from '../errors/remedies.js';
import type { ComputerRecord } from '../store/records.js';

/** A lease ends after so long without a sign of its holder, in milliseconds. */
const LIFE_MS = 60_000;
/** How long a computer's next picture says that someone else had control, in milliseconds. */
const TOLD_MS = 60 * 60_000;
/** Maximum number of keys to notify about a change of control. */
const MOST_TOLD = 1_000;
/** Computers whose last return is remembered. */
const MOST_RETURNED = 10_000;

interface Lease {
  readonly record: ComputerRecord;
  readonly owner: Owner;
  readonly holder: string;
  readonly since: Date;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  readonly timer: NodeJS.Timeout;
  forget(): void;
}

/** How a lease begins and ends; `ended` with its session or key, `taken_over` by another holder. */
export type ControlStep = 'taken' | 'released' | 'expired' | 'ended' | 'taken_over';

/** A change of who has control. */
export interface ControlChange {
  readonly step: ControlStep;
  readonly record: ComputerRecord;
  /** Who took it, or has had it. */
  readonly owner: Owner;
  readonly control: Control;
}

type Listener = (change: ControlChange) => void;

/** That another has given a computer back. */
export interface Return {
  readonly at: Date;
  /** A person on the web page had it. */
  readonly isPerson: boolean;
}

interface Returned extends Return {
  readonly holder: string;
  readonly told: Set<string>;
}

/**
 * Who alone gives input to a computer, usually a person in the live view. The input of all others is
 * refused meanwhile. In memory: a restart of the service ends all leases.
 */
export class ControlLeases {
  readonly #apiKeys: ApiKeys;
  readonly #leases = new Map<string, Lease>();
  readonly #returned = new Map<string, Returned>();
  readonly #listeners = new Set<Listener>();
  readonly #lifeMs: number;

  constructor(apiKeys: ApiKeys, lifeMs = LIFE_MS) {
    this.#apiKeys = apiKeys;
    this.#lifeMs = lifeMs;
  }

  /** Calls `listener` with each change; a renewal is none. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  of(computerId: string): Control | null {
    const lease = this.#leases.get(computerId);
    return lease === undefined ? null : this.#describe(lease);
  }

  isHeldBy(computerId: string, owner: Owner): boolean {
    return this.#leases.get(computerId)?.holder === holderOf(owner);
  }

  /**
   * Takes control, or renews it. Throws `controlled` if another has it, unless `force`; `forbidden` if
   * that needs more rights.
   */
  take(record: ComputerRecord, owner: Owner, how: 'if-free' | 'force'): void {
    const lease = this.#leases.get(record.id);
    if (lease?.holder === holderOf(owner)) {
      this.#renew(lease);
      return;
    }
    if (lease !== undefined) {
      if (how === 'if-free') throw this.#refusal(lease);
      const isAllowed =
        lease.owner.keyId === owner.keyId || this.#apiKeys.rightsOf(owner) === 'manage';
      if (!isAllowed) {
        const message =
          'Only the same API key, or one with the right "manage", takes control from another.';
        throw new ApiError('forbidden', message, { remedy: 'Ask its holder to give it back.' });
      }
      this.#end(record.id, 'taken_over');
    }
    const taken: Lease = {
      record,
      owner,
      holder: holderOf(owner),
      since: new Date(),
      expiresAt: Date.now() + this.#lifeMs,
      timer: setTimeout(() => this.#end(record.id, 'expired'), this.#lifeMs).unref(),
      forget: () => undefined,
    };
    this.#leases.set(record.id, taken);
    this.#tell('taken', taken);
    // Calls back at once if the key has ended meanwhile.
    taken.forget = this.#apiKeys.whileValid(owner, () => this.#endOf(record.id, taken));
  }

  /** Gives control back. Has no effect if nobody has it; throws `controlled` if another has it. */
  release(computerId: string, owner: Owner): void {
    const lease = this.#leases.get(computerId);
    if (lease === undefined) return;
    if (lease.holder !== holderOf(owner)) throw this.#notYours(lease);
    this.#end(computerId, 'released');
  }

  /** Refuses input of all but the holder, for whom it is a sign of life. */
  check(computerId: string, owner: Owner): void {
    const lease = this.#leases.get(computerId);
    if (lease === undefined) return;
    if (lease.holder !== holderOf(owner)) throw this.#refusal(lease);
    this.#renew(lease);
  }

  /** Calls `listener` with the refusal when another than `by` takes control. */
  onTaken(computerId: string, by: Owner, listener: (refusal: ApiError) => void): () => void {
    return this.onChange(({ step, record: { id } }) => {
      if (step !== 'taken' || id !== computerId) return;
      const lease = this.#leases.get(id);
      if (lease !== undefined && lease.holder !== holderOf(by)) listener(this.#refusal(lease));
    });
  }

  /** Whether the input of a live view is taken; for the holder it is a sign of life. */
  allows(computerId: string, owner: Owner): boolean {
    const lease = this.#leases.get(computerId);
    if (lease === undefined) return true;
    if (lease.holder !== holderOf(owner)) return false;
    this.#renew(lease);
    return true;
  }

  /** That another gave control back, for the first picture that the key gets after it. */
  returnedSince(computerId: string, owner: Owner): Return | undefined {
    const returned = this.#returned.get(computerId);
    const holder = holderOf(owner);
    if (returned === undefined || returned.holder === holder) return undefined;
    if (returned.told.has(holder) || returned.told.size >= MOST_TOLD) return undefined;
    returned.told.add(holder);
    return Date.now() - returned.at.getTime() < TOLD_MS ? returned : undefined;
  }

  close(): void {
    for (const id of [...this.#leases.keys()]) this.#end(id, 'ended');
  }

  /** Cheap: each event of a live view renews. */
  #renew(lease: Lease): void {
    lease.timer.refresh();
    lease.expiresAt = Date.now() + this.#lifeMs;
  }

  #endOf(computerId: string, lease: Lease): void {
    if (this.#leases.get(computerId) === lease) this.#end(computerId, 'ended');
  }

  #end(computerId: string, step: ControlStep): void {
    const lease = this.#leases.get(computerId);
    if (lease === undefined) return;
    clearTimeout(lease.timer);
    this.#leases.delete(computerId);
    lease.forget();
    // The latest is last, so that the oldest are forgotten first.
    this.#returned.delete(computerId);
    this.#returned.set(computerId, {
      at: new Date(),
      holder: lease.holder,
      told: new Set(),
      isPerson: lease.owner.sessionId !== undefined,
    });
    const [oldest] = this.#returned.keys();
    if (oldest !== undefined && this.#returned.size > MOST_RETURNED) this.#returned.delete(oldest);
    this.#tell(step, lease);
  }

  #tell(step: ControlStep, lease: Lease): void {
    const { record, owner } = lease;
    const control = this.#describe(lease);
    for (const listener of [...this.#listeners]) listener({ step, record, owner, control });
  }

  #describe({ owner, since, expiresAt }: Lease): Control {
    return {
      holder: {
        key_id: owner.keyId,
        key_name: this.#apiKeys.nameOf(owner),
        session: owner.sessionId !== undefined,
      },
      since: since.toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  #refusal(lease: Lease): ApiError {
    return new ApiError('controlled', `${this.#holderOf(lease)}; other input is refused.`, {
      remedy: `Wait until it is given back. To take it: vc computer control ${inCommands(lease.record)} take --force`,
    });
  }

  #notYours(lease: Lease): ApiError {
    return new ApiError('controlled', `${this.#holderOf(lease)}; only its holder gives it back.`, {
      remedy: `Take it from the holder: vc computer control ${inCommands(lease.record)} take --force`,
    });
  }

  #holderOf({ record, owner, since }: Lease): string {
    const name = this.#apiKeys.nameOf(owner);
    const who = name === null ? `Key ${owner.keyId}` : `Key ${JSON.stringify(name)}`;
    const where = owner.sessionId === undefined ? '' : ' on the web page';
    return `${who}${where} has control of ${JSON.stringify(record.name)} since ${since.toISOString()}`;
  }
}

/** A person on the web page has it as a session: programs with the same key do not. */
function holderOf({ sessionId, keyId }: Owner): string {
  return sessionId ?? keyId;
}
