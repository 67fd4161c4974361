import type { Handlers } from '../handlers/handlers.js';
import { cdpPath } from './ticket.js';

export const browserHandlers: Pick<Handlers, 'openBrowser'> = {
  openBrowser: async ({ fleet, owner, computer, body, signal }) => {
    const { browsers, browserTickets } = fleet;
    const isTemporary = body.profile === 'temporary';
    const temporary = isTemporary
      ? await browsers.openTemporary(owner, computer, body, signal)
      : undefined;
    const { started } = isTemporary
      ? { started: true }
      : await browsers.open(computer, body, signal);
    const { text, expiresAt } = browserTickets.issue({ computerId: computer.id, owner, temporary });
    return { ws_url: cdpPath(computer.id, text), expires_at: expiresAt.toISOString(), started };
  },
};
