import type { EngineCheck } from '../../descriptor.js';
import { firewallCheck } from './firewall.js';
import { socketsCheck } from './sockets.js';
import { usersCheck } from './users.js';

export const dockerChecks: readonly EngineCheck[] = [firewallCheck, usersCheck, socketsCheck];
