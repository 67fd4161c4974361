import type { Engine, MachineSpec } from '../engine.js';

/** A machine before it has an id, a key and a name. */
export type NewMachine = Omit<MachineSpec, 'id' | 'authorizedKey' | 'hostName'>;

/** What a machine of the warm pool is made with; the computer that it becomes gets both. */
export interface MachineIdentity {
  readonly id: string;
  /** In OpenSSH format. */
  readonly publicKey: string;
  /** In OpenSSH format; a secret. */
  readonly privateKey: string;
}

/** A machine of the warm pool to connect to. */
export type PreparedMachine = Pick<MachineIdentity, 'id' | 'privateKey'> &
  Pick<MachineSpec, 'resolution'>;

/**
 * An engine whose warm machines already have the id and key of the computer that they become. Until
 * a row has that id they are listed nowhere; after a crash they are orphans, which are removed.
 */
export interface Reserving {
  /**
   * Takes a warm machine that can become `spec`. The caller stores a computer with its identity, then
   * calls {@link Engine.create} with it, or {@link release}.
   */
  reserve(spec: NewMachine): Promise<MachineIdentity | undefined>;
  /** No computer was stored: removes the machine in the background. */
  release(id: string): void;
}

export function isReserving(engine: Engine): engine is Engine & Reserving {
  return 'reserve' in engine;
}
