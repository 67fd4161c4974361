import type { Answer } from '../contract/index.js';

/**
 * The link of a live view by the address at which this client reaches the service: a proxy in
 * between may have told the service another one.
 */
export function reachableView(view: Answer<'view'>, baseUrl: string): Answer<'view'> {
  const at = view.url.indexOf('/view/');
  return at < 0 ? view : { ...view, url: `${baseUrl}${view.url.slice(at)}` };
}
