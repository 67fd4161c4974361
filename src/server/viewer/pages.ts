import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { VIEW_PATHS } from '../../contract/sockets/view.js';
import { ASSETS, PAGE, readOnce } from './assets.js';
import { addPageHeaders } from './page-headers.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without an API key. */
    open?: boolean;
  }
}

/**
 * The ids of computers. The page shows the last part of its address in commands to copy, and anyone
 * can write a link: `/view/x;reboot` must not lead to a page.
 */
const COMPUTER_ID = /^cmp_[0-9a-z]{1,40}$/;

/**
 * The page of the live view and the files that it loads. They are the same for every computer and
 * hold no secret, so they need no key; what the page then shows needs a ticket.
 */
export function addViewPages(app: FastifyInstance): void {
  const read = readOnce();
  const options = { config: { open: true } };

  app.get(VIEW_PATHS.page, options, async (request, reply) => {
    const { id = '' } = request.params as Record<string, string>;
    if (!COMPUTER_ID.test(id)) {
      throw new ApiError('not_found', 'This is not the address of a live view.', {
        remedy: 'Get a link: vc view COMPUTER',
      });
    }
    guard(request, reply);
    return reply.type('text/html; charset=utf-8').send(await read(PAGE));
  });

  app.get(VIEW_PATHS.assets, options, async (request, reply) => {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const asset = ASSETS.get(path);
    if (asset === undefined) throw new ApiError('not_found', 'The live view has no such file.');
    guard(request, reply);
    return reply.type(`${asset.type}; charset=utf-8`).send(await read(asset.file));
  });
}

function guard(request: FastifyRequest, reply: FastifyReply): void {
  const { host } = request.headers;
  addPageHeaders(reply, [
    // Images of the screen and the pointer are data URLs.
    "img-src 'self' data:",
    // Not every browser includes WebSockets of the same host in 'self'.
    `connect-src 'self' ws://${host} wss://${host}`,
  ]);
}
