// A script of its own, which runs before the others have come: asks at once who is logged in, and loads
// the page of the address.

/** A one-time link: `/#login=TOKEN`. */
const LINK = /^#login=([\w.~-]{1,512})$/;

/** The token of the link that opened the page. */
export const token = LINK.exec(location.hash)?.[1];
// It leaves the address bar and the history before anything else happens.
if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);

/** The answer of `POST /sessions` with the token, or else of `GET /sessions/current`. */
export const opened: Promise<Response> = fetch(
  token === undefined ? '/api/sessions/current' : '/api/sessions',
  {
    headers: { 'x-vc-page': '1', 'content-type': 'application/json' },
    credentials: 'same-origin',
    ...(token !== undefined && { method: 'POST', body: JSON.stringify({ login: token }) }),
  },
);
// `resume` handles a failure.
opened.catch(() => undefined);

/** The pages that are loaded when they are shown. */
export const parts = {
  '/computers': async () => (await import('./pages/wall/wall.js')).Wall,
  '/projects': async () => (await import('./pages/projects/projects.js')).Projects,
  '/projects/:id': async () => (await import('./pages/project/project.js')).ProjectPage,
  '/keys': async () => (await import('./pages/keys/keys.js')).Keys,
  '/computers/:id/:tab?': async () => {
    // Most look at the screen, which loads it again: it is larger than the rest of the page.
    import('@novnc/novnc').catch(() => undefined);
    return (await import('./pages/computer/computer.js')).ComputerPage;
  },
  '/activity': async () => (await import('./pages/activity/activity.js')).Activity,
  '/streams': async () => (await import('./pages/streams/streams.js')).Streams,
  '/webhooks': async () => (await import('./pages/webhooks/webhooks.js')).Webhooks,
  '/images': async () => (await import('./pages/images/images.js')).Images,
  '/volumes': async () => (await import('./pages/volumes/volumes.js')).Volumes,
  '/hosts': async () => (await import('./pages/hosts/hosts.js')).Hosts,
  '/runs': async () => (await import('./pages/runs/runs.js')).Runs,
  '/usage': async () => (await import('./pages/usage/usage.js')).Usage,
};

/** Loads the page of an address before it is shown. */
export function preload(path: string): void {
  for (const [route, part] of Object.entries(parts)) {
    const pattern = route.replace('/:tab?', '(/[^/]+)?').replace(':id', '[^/]+');
    if (new RegExp(`^${pattern}$`).test(path)) part().catch(() => undefined);
  }
}
preload(location.pathname);
