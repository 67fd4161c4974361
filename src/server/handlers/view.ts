import { viewPath } from '../../contract/sockets/view.js';
import type { Handlers } from './handlers.js';

export const viewHandlers: Pick<Handlers, 'view'> = {
  view: ({ fleet, owner, computer, body }) => {
    const { id } = computer;
    // Otherwise its page would open and end at once.
    fleet.actions.refuseStopped(computer);
    const grant = { computerId: id, owner, mode: body.mode };
    const { text, expiresAt } = fleet.tickets.issue(grant);
    return { url: `${viewPath(id)}#${text}`, expires_at: expiresAt.toISOString() };
  },
};
