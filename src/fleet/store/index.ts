import { actionStore } from './actions.js';
import { computerStore } from './computers.js';
import { connectionStore } from './connections.js';
import { closeDatabase, openDatabase } from './database.js';
import { ownerStore, serviceId } from './owners.js';
import { projectStore } from './projects.js';
import { Sealer } from './sealer.js';

/** The durable record of intent: what exists, who owns it and what is to become of it. */
export function openStore(directory: string) {
  const db = openDatabase(directory);
  return {
    serviceId: serviceId(db),
    owners: ownerStore(db),
    projects: projectStore(db),
    computers: computerStore(db),
    actions: actionStore(db),
    connections: connectionStore(db, new Sealer(directory)),
    /** Runs `work` as one transaction: all of it is written, or nothing. */
    transaction: <T>(work: () => T): T => db.transaction(work)(),
    close: () => closeDatabase(db),
  };
}

export type Store = ReturnType<typeof openStore>;
