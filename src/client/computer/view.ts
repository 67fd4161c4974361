import type { Answer } from '../../contract/types/index.js';

/**
 * Rewrites a live view's URL to the client's base URL, because the service may see another address
 * behind a proxy.
 */
export function reachableView(view: Answer<'view'>, baseUrl: string): Answer<'view'> {
  const at = view.url.indexOf('/view/');
  return at < 0 ? view : { ...view, url: `${baseUrl}${view.url.slice(at)}` };
}
