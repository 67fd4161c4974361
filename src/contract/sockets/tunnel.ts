import { z } from 'zod';
import { integer } from '../primitives.js';
import { SocketError } from './error.js';

/*
 * A TCP connection to a port of the computer's own loopback, over one WebSocket:
 * `GET C/tunnel?port=`, key in `Authorization`.
 *
 * The service's first message is `open`, or `error` when nothing listens. From then on binary
 * messages of either side are the connection's bytes; `end` half-closes the sender's side. The
 * service closes when both sides have ended; closing earlier aborts the connection.
 */

export const TunnelQuery = z.object({
  port: z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value),
      integer(1, 65_535),
    )
    .meta({ description: "TCP port on the computer's loopback.", examples: [8080] }),
});

const type = <const Type extends string>(name: Type) =>
  z.literal(name).describe('Kind of the message.');

export const TunnelMessage = z
  .discriminatedUnion('type', [
    z.object({ type: type('open') }).describe('The connection is established.'),
    z.object({ type: type('end') }).describe('The sender sends no more bytes.'),
    SocketError,
  ])
  .meta({ id: 'TunnelMessage', description: 'A text message of a connection to a port.' });

export type TunnelMessage = z.infer<typeof TunnelMessage>;
