import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { access } from '../../contract/operations.js';
import { routes } from '../../contract/routes.js';
import { chooseProtocol } from '../../contract/sockets/protocols.js';
import { onAbort } from '../../lib/async/abort.js';
import { acceptOf } from '../../shell/browser/devtools.js';
import { checkControl } from '../access/refusals.js';
import { auditConnection } from '../audit-requests.js';
import { logOf } from '../http/log.js';
import { departure, ownerOf, resolveComputer } from '../requests.js';
import type { SocketServices } from '../websocket/computer-socket.js';
import { type CloseReason, proxyCdp } from './cdp-proxy.js';
import { grantOf } from './ticket.js';

const STOPPING: CloseReason = { code: 1012, reason: 'The service stops.' };
const CONTROLLED: CloseReason = {
  code: 1013,
  reason: 'Someone else took control of the computer.',
};
/** 16 random bytes in base64 (RFC 6455, section 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/**
 * `GET C/cdp`: the browser of a computer. The bytes of the WebSocket are passed on as they are, so
 * messages of any size take no memory here. Until the browser answers, a failure is an ordinary HTTP
 * error. Programs give input with it, so it ends when another takes control of the computer.
 */
export function addBrowserSocket(app: FastifyInstance, services: SocketServices): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());
  for (const url of routes.cdp.paths) {
    app.get(url, {
      websocket: true,
      config: { socket: true, ticket: true, access: access.cdp, operation: 'cdp' },
      // The handler of a WebSocket's route would answer the client before the browser has.
      preHandler: (request, reply) => serveBrowser(services, request, reply, stopping.signal),
      handler: () => undefined,
    });
  }
}

async function serveBrowser(
  { fleet, limit }: SocketServices,
  request: FastifyRequest,
  reply: FastifyReply,
  stopping: AbortSignal,
): Promise<void> {
  const key = clientKey(request);
  const owner = ownerOf(request);
  const record = resolveComputer(fleet, request);
  const { temporary } = grantOf(fleet, request, record) ?? {};
  checkControl(fleet, request, { owner, name: 'cdp' }, record);
  const client = request.raw.socket;
  limit.count(owner.id, client);
  const left = departure(request);
  const connection = { owner, computerId: record.id, name: 'cdp', signal: left } as const;
  const audit = auditConnection(fleet, connection);
  const ending = new AbortController();
  let isAccepted = false;
  const dispose = [
    fleet.apiKeys.whileValid(owner, () => client.destroy()),
    fleet.control.onTaken(record.id, owner, () => ending.abort(CONTROLLED)),
    onAbort(stopping, () => (isAccepted ? ending.abort(STOPPING) : client.destroy())),
  ];
  const stopWatching = watchWaiting(client);
  try {
    await fleet.browsers.connect(
      record,
      { key, temporary },
      async (browser) => {
        // Someone may have taken control while the browser started.
        fleet.control.check(record.id, owner);
        stopWatching();
        isAccepted = true;
        reply.hijack();
        accept(client, key, chosenProtocol(request));
        audit.opened({ profile: temporary === undefined ? 'kept' : 'temporary' });
        await proxyCdp(client, browser, ending.signal);
      },
      left,
    );
    audit.ended();
  } catch (error) {
    audit.ended(error);
    if (!reply.sent) throw error;
    if (!left.aborted) logOf(request).warn({ err: error }, 'browser socket failed');
  } finally {
    stopWatching();
    for (const each of dispose) each();
    if (reply.sent && !client.writableEnded) client.destroy();
  }
}

/**
 * Ends a client that leaves, or sends something, while it waits for the browser: nothing is read of it
 * otherwise, so that its end would not be seen.
 */
function watchWaiting(client: Socket): () => void {
  let isWatched = true;
  const leave = () => client.destroy();
  client.on('data', leave).on('end', leave).resume();
  return () => {
    if (!isWatched) return;
    isWatched = false;
    client.pause().off('data', leave).off('end', leave);
  };
}

function clientKey({ ws, headers }: FastifyRequest): string {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = headers;
  if (ws && KEY.test(key) && version === '13') return key;
  throw new ApiError('invalid_request', 'This path is a WebSocket.', {
    remedy: 'Connect with a client of the Chrome DevTools Protocol, such as Playwright.',
  });
}

function chosenProtocol({ headers }: FastifyRequest): string | false {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const chosen = chooseProtocol(offered);
  // It is written into the answer.
  return chosen && /^[\w.-]{1,64}$/.test(chosen) ? chosen : false;
}

function accept(client: Socket, key: string, protocol: string | false): void {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
  ];
  client.write(`${lines.join('\r\n')}\r\n\r\n`);
}
