import { whileAllowed } from '../../fleet/control/allowed-input.js';
import type { Handlers } from '../handlers/handlers.js';
import { cdpPath } from './ticket.js';

export const browserHandlers: Pick<Handlers, 'openBrowser'> = {
  openBrowser: async ({ fleet, owner, computer, body, signal }) => {
    const { browsers, browserTickets, control } = fleet;
    const isTemporary = body.profile === 'temporary';
    const giving = { control, computerId: computer.id, by: owner };
    // A browser takes its time to start, and another may take control meanwhile.
    return whileAllowed(giving, signal, async (until) => {
      const temporary = isTemporary
        ? await browsers.openTemporary(owner, computer, body, until)
        : undefined;
      const { started } = isTemporary
        ? { started: true }
        : await browsers.open(computer, body, until);
      until.throwIfAborted();
      const grant = { computerId: computer.id, owner, temporary };
      const { text, expiresAt } = browserTickets.issue(grant);
      return { ws_url: cdpPath(computer.id, text), expires_at: expiresAt.toISOString(), started };
    });
  },
};
