import { chmodSync, createReadStream, rmSync } from 'node:fs';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Unadopted } from '../fleet/lifecycle/adoption.js';
import type { Log } from '../fleet/lifecycle/reconcile.js';
import { errorMessage } from '../lib/text/error-message.js';

/** In the state directory: a process that can open it can read the whole state anyway. */
const SOCKET_NAME = 'service.sock';
/** A socket's path may have 107 bytes. */
const LONGEST = 107;

export interface LocalSocketParts {
  readonly stateDirectory: string;
  /** Writes a backup to a new file. */
  backup(path: string): void;
  /** Machines that no computer owns and that were left alone; null without an engine that adopts. */
  unadopted(): readonly Unadopted[] | null;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Operations for commands on this host only, on a unix socket of mode 0600:
 * `POST /backup` answers with a backup, `GET /unadopted` with a list. The state must be locked for this service alone.
 */
export async function listenLocally(parts: LocalSocketParts): Promise<{ close(): Promise<void> }> {
  const { stateDirectory, log } = parts;
  for (const name of await readdir(stateDirectory)) {
    if (name.startsWith('.backup-')) await rm(join(stateDirectory, name), { recursive: true });
  }
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/unadopted') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(parts.unadopted()));
      return;
    }
    if (request.method !== 'POST' || request.url !== '/backup') {
      response.writeHead(404).end();
      return;
    }
    sendBackup(parts, response).catch((err) => {
      log.warn({ err }, 'a backup failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(errorMessage(err));
    });
  });
  const path = join(stateDirectory, SOCKET_NAME);
  // Left by a killed service: the lock guarantees that no other one runs.
  rmSync(path, { force: true });
  const directory = await open(stateDirectory, 'r');
  try {
    const short = Buffer.byteLength(path) <= LONGEST;
    const where = short ? path : `/proc/self/fd/${directory.fd}/${SOCKET_NAME}`;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(where, resolve);
    });
    chmodSync(path, 0o600);
  } finally {
    await directory.close();
  }
  server.unref();
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(path, { force: true });
    },
  };
}

async function sendBackup({ stateDirectory, backup, log }: LocalSocketParts, to: ServerResponse) {
  const directory = await mkdtemp(join(stateDirectory, '.backup-'));
  try {
    const path = join(directory, 'backup');
    const began = performance.now();
    backup(path);
    log.info({ ms: Math.round(performance.now() - began) }, 'backup written');
    to.writeHead(200, { 'content-type': 'application/vnd.sqlite3' });
    await pipeline(createReadStream(path), to);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
