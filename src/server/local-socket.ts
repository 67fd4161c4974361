import { createReadStream, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Unadopted } from '../fleet/lifecycle/adoption.js';
import type { Log } from '../lib/log.js';
import { listenUnix } from '../lib/net/unix-socket.js';
import { errorMessage } from '../lib/text/error-message.js';

/** In the state directory: a process that can open them can read the whole state anyway. */
const API_SOCKET = 'service.sock';
const ADMIN_SOCKET = 'admin.sock';

export interface LocalSocketParts {
  readonly stateDirectory: string;
  /** The server of the API. */
  readonly api: HttpServer;
  /** Writes a backup to a new file. */
  backup(path: string): void;
  /** Machines that no computer owns and that were left alone; null without an engine that adopts. */
  unadopted(): readonly Unadopted[] | null;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Two unix sockets for programs of this user: one is a further address of the API, the other has
 * operations without a key, `POST /backup` and `GET /unadopted`. The state must be locked for this
 * service alone.
 */
export async function listenLocally(parts: LocalSocketParts): Promise<{ close(): Promise<void> }> {
  const { stateDirectory, api, log } = parts;
  for (const name of await readdir(stateDirectory)) {
    if (name.startsWith('.backup-')) await rm(join(stateDirectory, name), { recursive: true });
  }
  const admin = createServer((request, response) => {
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
  // As an HTTP server has it.
  const local = createNetServer({ allowHalfOpen: true }, (socket) =>
    api.emit('connection', socket),
  );
  const listening = [
    { server: admin, path: join(stateDirectory, ADMIN_SOCKET) },
    { server: local, path: join(stateDirectory, API_SOCKET) },
  ];
  for (const { server, path } of listening) {
    await listenUnix(server, path);
    server.unref();
  }
  return {
    close: async () => {
      // The API's server closes its own connections.
      local.close();
      admin.closeAllConnections();
      await new Promise((resolve) => admin.close(resolve));
      for (const { path } of listening) rmSync(path, { force: true });
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
