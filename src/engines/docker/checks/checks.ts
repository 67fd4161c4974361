import type { EngineCheck } from '../../descriptor.js';
import { abandonedCheck } from './abandoned.js';
import { firewallCheck } from './firewall.js';
import { socketsCheck } from './sockets.js';

export const dockerChecks: readonly EngineCheck[] = [firewallCheck, abandonedCheck, socketsCheck];
