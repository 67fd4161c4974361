import type { Answer } from '../../contract/types/index.js';

/**
 * Rewrites the browser's URL to the client's base URL, because the service may see another address
 * behind a proxy.
 */
export function reachableBrowser(
  browser: Answer<'openBrowser'>,
  baseUrl: string,
): Answer<'openBrowser'> {
  const at = browser.ws_url.indexOf('/computers/');
  if (at < 0) return browser;
  const base = baseUrl.replace(/^http/, 'ws');
  return { ...browser, ws_url: `${base}${browser.ws_url.slice(at)}` };
}

/** The same for the live view. */
export function reachableView(view: Answer<'view'>, baseUrl: string): Answer<'view'> {
  const at = view.url.indexOf('/view/');
  return at < 0 ? view : { ...view, url: `${baseUrl}${view.url.slice(at)}` };
}
