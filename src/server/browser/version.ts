import type { FastifyInstance } from 'fastify';
import { access } from '../../contract/operations.js';
import { routes } from '../../contract/routes.js';
import type { BrowserVersion } from '../../contract/sockets/browser.js';
import type { Fleet } from '../../fleet/fleet.js';
import { checkControl } from '../access/refusals.js';
import { audited } from '../audit-requests.js';
import { socketUrl } from '../http/absolute-urls.js';
import { departure, ownerOf, resolveComputer } from '../requests.js';
import { cdpPath } from './ticket.js';

/** Playwright asks with a slash at the end, others without. */
export const VERSION_PATHS = routes.cdpVersion.paths.flatMap((path) => [path, `${path}/`]);

const NAMES = [
  'Browser',
  'Protocol-Version',
  'User-Agent',
  'V8-Version',
  'WebKit-Version',
] as const satisfies readonly (keyof BrowserVersion)[];
/** Longest value that the guest may give. */
const MOST_CHARACTERS = 512;

/** What the guest gives may be no text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : '';
}

/** `GET C/cdp/json/version`: where clients that are given an http address find the WebSocket. */
export function addBrowserVersion(app: FastifyInstance, fleet: Fleet): void {
  for (const url of VERSION_PATHS) {
    app.get(
      url,
      { config: { access: access.cdpVersion, operation: 'openBrowser' } },
      async (request): Promise<BrowserVersion> => {
        const owner = ownerOf(request);
        const computer = resolveComputer(fleet, request);
        checkControl(fleet, request, { owner, name: 'openBrowser' }, computer);
        const signal = departure(request);
        const subject = { name: 'openBrowser', owner, computer, input: {}, signal } as const;
        const asked = audited(fleet, subject, () => fleet.browsers.describe(computer, signal));
        const told = await asked.finally(() => request.departureEnded?.());
        const lines = NAMES.map((name) => [name, textOf(told[name])]);
        const { text } = fleet.browserTickets.issue({ computerId: computer.id, owner });
        return {
          ...(Object.fromEntries(lines) as Record<(typeof NAMES)[number], string>),
          webSocketDebuggerUrl: socketUrl(request, cdpPath(computer.id, text)),
        };
      },
    );
  }
}
