import { request } from '../../api/http.js';
import { tellFailure } from '../notices.js';
import { isShared, noteLoss } from './proof.js';

/** Links that leave this document: downloads, terminals and the reference. */
const LINKS = 'a[href^="/api/"], a[href^="/terminal/"]';

/** Follows such links only after the service has proved itself: the browser itself asks nothing. */
export function guardLinks(): void {
  if (!isShared) return;
  const proven = new WeakSet<Element>();
  const follow = (link: HTMLAnchorElement) => {
    proven.add(link);
    link.click();
    proven.delete(link);
  };
  const guard = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest(LINKS) : null;
    if (!(link instanceof HTMLAnchorElement) || proven.has(link)) return;
    event.preventDefault();
    event.stopPropagation();
    noteLoss();
    request('GET', '/sessions/current').then(
      () => follow(link),
      (error: unknown) => tellFailure('Could not open the link', error),
    );
  };
  for (const kind of ['click', 'auxclick']) document.addEventListener(kind, guard, true);
}
