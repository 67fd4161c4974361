import { viewPath } from '../../contract/view.js';
import type { Handlers } from '../handlers.js';
import { computerOf } from '../requests.js';

export const viewHandlers: Pick<Handlers, 'view'> = {
  view: ({ fleet, owner, params, body }) => {
    const { id } = computerOf(fleet, owner, params);
    const grant = { computerId: id, owner, mode: body.mode };
    const { text, expiresAt } = fleet.tickets.issue(grant);
    return { url: `${viewPath(id)}#${text}`, expires_at: new Date(expiresAt).toISOString() };
  },
};
