import { z } from 'zod';
import { integer } from '../primitives.js';

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

export const TunnelMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open') }),
  z.object({ type: z.literal('end') }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    error: z.string(),
    remedy: z.string().optional(),
  }),
]);

export type TunnelMessage = z.infer<typeof TunnelMessage>;
