import { currentSession, serializeSession } from '../../access/session-routes.js';
import type { Handlers } from '../handlers.js';

export const sessionHandlers: Pick<Handlers, 'createLogin' | 'getSession'> = {
  createLogin: ({ fleet, owner }) => {
    const { text, expiresAt } = fleet.sessions.issueLogin(owner);
    return { token: text, url: `/#login=${text}`, expires_at: expiresAt.toISOString() };
  },
  getSession: ({ fleet, owner }) => serializeSession(fleet, currentSession(fleet, owner).session),
};
