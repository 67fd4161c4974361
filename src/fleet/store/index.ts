import { statfsSync } from 'node:fs';
import { actionStore } from './actions.js';
import { writeBackup } from './backup.js';
import { computerStore } from './computers.js';
import { connectionStore } from './connections.js';
import { closeDatabase, openDatabase } from './database.js';
import { ownerStore, serviceId } from './owners.js';
import { projectStore } from './projects.js';
import { Sealer } from './sealer.js';
import { strangerStore } from './strangers.js';
import { inTransaction } from './transaction.js';

/** The durable record of intent: what exists, who owns it and what is to become of it. */
export function openStore(directory: string) {
  const db = openDatabase(directory);
  return {
    serviceId: serviceId(db),
    owners: ownerStore(db),
    projects: projectStore(db),
    computers: computerStore(db),
    actions: actionStore(db),
    strangers: strangerStore(db),
    connections: connectionStore(db, new Sealer(directory)),
    /** Runs `work` as one transaction: all of it is written, or nothing. */
    transaction: <T>(work: () => T): T => inTransaction(db, work),
    /** Never throws. */
    state: (): StoreState => {
      try {
        db.prepare('SELECT count(*) FROM service').get();
        const { bavail, bsize } = statfsSync(directory);
        const mib = Math.floor((bavail * bsize) / 2 ** 20);
        const detail = `${mib} MiB free`;
        return mib < LEAST_MIB
          ? { usable: false, detail: `its disk is full: ${detail}` }
          : { usable: true, detail };
      } catch (error) {
        return { usable: false, detail: error instanceof Error ? error.message : String(error) };
      }
    },
    /** Writes a backup of it all to a new file; see {@link writeBackup}. */
    backup: (path: string, version: string) => writeBackup(db, directory, path, version),
    close: () => closeDatabase(db),
  };
}

/** With less room than this, in MiB, a write is about to fail. */
const LEAST_MIB = 16;

export interface StoreState {
  readonly usable: boolean;
  readonly detail: string;
}

export type Store = ReturnType<typeof openStore>;
