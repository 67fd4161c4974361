// A script of its own, which runs before the others have come: loads the page of the address.

/** The pages that are loaded when they are shown. */
export const parts = {
  '/': async () => (await import('./pages/overview/overview.js')).Overview,
  '/computers': async () => (await import('./pages/wall/wall.js')).Wall,
  '/projects': async () => (await import('./pages/projects/projects.js')).Projects,
  '/projects/:id': async () => (await import('./pages/project/project.js')).ProjectPage,
  '/keys': async () => (await import('./pages/keys/keys.js')).Keys,
  '/computers/:id/:tab?': async () => {
    const { ComputerPage } = await import('./pages/computer/computer.js');
    // Most look at the screen, which loads it again. Meanwhile the page opens the socket of the screen.
    import('@novnc/novnc').catch(() => undefined);
    return ComputerPage;
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

/** What a browser without a session sees. */
export const login = () => import('./pages/login/login.js');

/** Loads the page of an address before it is shown. */
export function preload(path: string): void {
  for (const [route, part] of Object.entries(parts)) {
    const pattern = route.replace('/:tab?', '(/[^/]+)?').replace(':id', '[^/]+');
    if (new RegExp(`^${pattern}$`).test(path)) part().catch(() => undefined);
  }
}
if (window.start.mayHaveSession) preload(location.pathname);
else login().catch(() => undefined);
