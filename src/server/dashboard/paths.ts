/**
 * Addresses of the web page, which finds its way by them itself: each answers the same document.
 * Listed, because an unknown path of the service answers 401 without a key.
 */
export const PAGE_PATHS = [
  '/',
  '/login',
  '/projects',
  '/projects/:project',
  '/keys',
  '/wall',
  '/computers',
  '/computers/:id',
  '/computers/:id/:tab',
  '/activity',
  '/streams',
  '/images',
  '/usage',
  '/hosts',
] as const;

/** A terminal is a document of its own: the terminal's library adds style elements. */
export const TERMINAL_PATH = '/terminal/:id';

/** Scripts, styles and icons of the page. */
export const ASSET_PATHS = '/assets/*';

/** Every path of the web page, relative to the host. */
export const DASHBOARD_PATHS = [...PAGE_PATHS, TERMINAL_PATH, ASSET_PATHS] as const;
