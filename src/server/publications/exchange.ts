import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../contract/errors.js';
import { hasBody } from '../http/bodies.js';
import { closeLater } from '../http/lingering-close.js';
import { dropStalledReader, dropStalledSender } from '../http/streaming.js';
import { clientHeaders, guestHeaders, upgradeHeaders } from './headers.js';

/** How often a connection on which nothing moves is probed after an upgrade, in milliseconds. */
const PROBE_MS = 20_000;

/** A request to a publication. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path for the guest. */
  readonly path: string;
  /** What came after the headers of an upgrade; absent for other requests. */
  readonly head?: Buffer;
}

interface GuestAnswer {
  readonly answer: IncomingMessage;
  /** What came after the headers of an answer that agrees to the upgrade. */
  readonly head?: Buffer;
}

/**
 * Sends a request to a server in the guest, over a connection of its own, and passes the answer on. Each
 * side is read no faster than the other one reads. After an upgrade the bytes of both sides are passed on
 * unchanged. Rejects with `guest_failed` if the answer is no valid HTTP.
 */
export async function exchange(guest: Duplex, visit: Visit): Promise<void> {
  const { request, response, path, head } = visit;
  const sent = httpRequest({
    // Node uses nothing that only sockets have.
    createConnection: () => guest as Socket,
    method: request.method,
    path,
    headers: guestHeaders(request, head === undefined ? 'request' : 'upgrade'),
    setHost: false,
  });
  const answered = answerOf(sent, head === undefined ? 'request' : 'upgrade');
  const stop = dropStalledSender(request);
  try {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    if (head === undefined) {
      // The headers, before the body; flushHeaders() would send their bytes as UTF-8.
      if (hasBody(request)) sent.write('', 'latin1');
      request.pipe(sent);
    } else {
      sent.end();
    }
    const { answer, head: first } = await answered.catch((cause) => {
      throw invalid(cause);
    });
    if (first !== undefined) return await connect(guest, first, answer, visit);
    writeHead(response, answer);
    dropStalledReader(response);
    await pipeline(answer, response);
    // The server has not read the whole body.
    if (head !== undefined || request.complete) return;
    closeLater(request);
    request.socket.destroySoon();
  } finally {
    stop();
    request.unpipe(sent);
    sent.destroy();
  }
}

function answerOf(sent: ClientRequest, kind: 'request' | 'upgrade'): Promise<GuestAnswer> {
  return new Promise((resolve, reject) => {
    sent.once('response', (answer) => resolve({ answer }));
    // Without a listener, Node ends the connection.
    if (kind === 'upgrade') {
      sent.once('upgrade', (answer, _, head) => resolve({ answer, head }));
    }
    sent.on('error', reject);
    sent.once('close', () => reject(new Error('the connection was closed')));
  });
}

function writeHead(response: ServerResponse, answer: IncomingMessage): void {
  const { statusCode = 0, statusMessage } = answer;
  if (statusCode < 200)
    throw invalid(new Error('it upgrades a request that does not ask for that'));
  response.sendDate = false;
  try {
    response.writeHead(statusCode, statusMessage, clientHeaders(answer));
  } catch (cause) {
    throw invalid(cause);
  }
}

function invalid(cause: unknown): ApiError {
  const code = String((cause as { code?: unknown }).code);
  const isOther = code.startsWith('HPE_') || code.startsWith('ERR_');
  const message = isOther
    ? 'The program that listens there does not answer with valid HTTP.'
    : 'The program that listens there has closed the connection without an answer.';
  const remedy = isOther
    ? 'Publish the port of a web server that uses HTTP without TLS; for other protocols: vc forward'
    : 'Look at the output of the program in the computer.';
  return new ApiError('guest_failed', message, { remedy, cause });
}

/** Passes the answer to an upgrade on, and then all bytes until both sides have ended. */
async function connect(
  guest: Duplex,
  first: Buffer,
  answer: IncomingMessage,
  { request, response, head = Buffer.alloc(0) }: Visit,
): Promise<void> {
  const { socket } = request;
  response.detachSocket(socket);
  socket.setKeepAlive(true, PROBE_MS);
  socket.setNoDelay(true);
  dropStalledReader(socket);
  const headers = [...clientHeaders(answer), ...upgradeHeaders(answer)];
  let lines = `HTTP/1.1 101 ${answer.statusMessage}\r\n`;
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.write(`${lines}\r\n`, 'latin1');
  socket.unshift(head);
  guest.unshift(first);
  // How it ends is the business of the two sides.
  await Promise.all([pipeline(socket, guest), pipeline(guest, socket)]).catch(() => undefined);
  socket.destroySoon();
}
