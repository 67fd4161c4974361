import type { BrowserContext } from 'playwright-core';

/** The end of a socket, or the login that is shown in place of a page, by the clock of the page. */
export interface End {
  readonly what: 'socket' | 'page';
  /** The path of the socket or page. */
  readonly path: string;
  /** Close code of a socket. */
  readonly code?: number;
  readonly at: number;
}

/** Runs in each page before its own scripts. */
const WATCH = `{
  const tell = (end) => noteEnd({ ...end, at: Date.now() });
  const Native = WebSocket;
  globalThis.WebSocket = class extends Native {
    constructor(url, ...given) {
      super(url, ...given);
      const path = new URL(url, location).pathname;
      this.addEventListener('close', ({ code }) => tell({ what: 'socket', path, code }));
    }
  };
  const watcher = new MutationObserver(() => {
    if (document.querySelector('main.login') === null) return;
    watcher.disconnect();
    tell({ what: 'page', path: location.pathname });
  });
  watcher.observe(document, { childList: true, subtree: true });
}`;

/** Every end in the pages that are opened from now on. */
export async function watchEnds(context: BrowserContext): Promise<End[]> {
  const ends: End[] = [];
  await context.exposeFunction('noteEnd', (end: End) => ends.push(end));
  await context.addInitScript(WATCH);
  return ends;
}
