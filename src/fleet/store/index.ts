import { statfsSync } from 'node:fs';
import { DiskReserve, isDiskFull } from '../../lib/fs/disk-reserve.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { keyStore } from './accounts/keys.js';
import { ownerStore, serviceId } from './accounts/owners.js';
import { secretStore } from './accounts/secrets.js';
import { sessionStore } from './accounts/sessions.js';
import { auditStore } from './audit/entries.js';
import { writeBackup } from './backup/backup.js';
import { buildStepStore } from './build-steps.js';
import { drainStore } from './cluster/drains.js';
import { computerStore } from './computers.js';
import { usageStore } from './daily-usage.js';
import { closeDatabase, openDatabase } from './database.js';
import { eventStore } from './events/events.js';
import { Notifier } from './events/notifier.js';
import { watchedJobStore } from './events/watched-jobs.js';
import { idempotencyStore } from './idempotency.js';
import { orphanStore } from './orphans.js';
import { projectStore } from './projects.js';
import { publicationStore } from './publications.js';
import { runStore } from './runs.js';
import { savedDiskStore } from './saved-disks.js';
import { SecretBox } from './secret-box.js';
import { setupStore } from './setups.js';
import { streamTargetStore } from './stream-targets.js';
import { inTransaction } from './transaction.js';
import { volumeStore } from './volumes.js';
import { webhookStore } from './webhooks.js';

/** The durable record of owners, projects and computers, with the intended state of each. */
export function openStore(directory: string) {
  const db = openDatabase(directory);
  const written = new Notifier();
  const computers = computerStore(db, written);
  const keys = keyStore(db, ({ id, owner_id }) => {
    computers.keyRenamed(id);
    written.notify(owner_id);
  });
  const reserve = new DiskReserve(directory);
  reserve.refill();
  const id = serviceId(db);
  const secretBox = new SecretBox(directory);
  return {
    /** Where the service keeps its state. */
    directory,
    serviceId: id,
    keys,
    owners: ownerStore(db, keys),
    sessions: sessionStore(db),
    projects: projectStore(db, written, computers.projectRenamed),
    computers,
    savedDisks: savedDiskStore(db, written),
    volumes: volumeStore(db),
    runs: runStore(db),
    publications: publicationStore(db),
    buildSteps: buildStepStore(db),
    audit: auditStore(db),
    events: eventStore(db, id),
    watchedJobs: watchedJobStore(db),
    /** Notifies after writes that may have added events. */
    written,
    orphans: orphanStore(db),
    drains: drainStore(db),
    idempotency: idempotencyStore(db),
    usage: usageStore(db),
    streamTargets: streamTargetStore(db, secretBox),
    secrets: secretStore(db, secretBox),
    setups: setupStore(db, secretBox),
    webhooks: webhookStore(db, secretBox),
    /** See {@link SecretBox.sign}. */
    sign: (purpose: string, text: string) => secretBox.sign(purpose, text),
    /** Runs `work` as one transaction. */
    transaction: <T>(work: () => T): T => {
      const rolledBack = computers.beforeTransaction();
      try {
        return inTransaction(db, work);
      } catch (error) {
        rolledBack();
        throw error;
      }
    },
    /**
     * Runs writes of a stop or deletion, which free space: on a full disk with the reserve. Returns
     * whether they were written; false if the disk is still full.
     */
    writeToFreeSpace: (work: () => void): boolean => {
      const attempt = () => {
        const rolledBack = computers.beforeTransaction();
        try {
          inTransaction(db, work);
          return true;
        } catch (error) {
          rolledBack();
          if (isDiskFull(error)) return false;
          throw error;
        }
      };
      if (attempt()) return true;
      reserve.release();
      return attempt();
    },
    /** Never throws. */
    state: (): StoreState => {
      try {
        db.prepare('SELECT count(*) FROM service').get();
        const { bavail, bsize } = statfsSync(directory);
        reserve.refill();
        const free = bavail * bsize;
        const detail = freeSpace(free);
        return free < LEAST_FREE
          ? { usable: false, detail: `its disk is full: ${detail}` }
          : { usable: true, detail };
      } catch (error) {
        return { usable: false, detail: errorMessage(error) };
      }
    },
    /** Writes a backup to a new file; see {@link writeBackup}. */
    backup: (path: string, version: string) => writeBackup(db, directory, path, version),
    close: () => closeDatabase(db),
  };
}

/** With less free space than this, in bytes, writes are about to fail. */
const LEAST_FREE = 16 * 2 ** 20;

/** Free space for people, in powers of 1000. */
function freeSpace(bytes: number): string {
  const mb = Math.floor(bytes / 1e6);
  return mb < 1000 ? `${mb} MB free` : `${(mb / 1000).toFixed(1)} GB free`;
}

export interface StoreState {
  readonly usable: boolean;
  readonly detail: string;
}

export type Store = ReturnType<typeof openStore>;
