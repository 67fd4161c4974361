import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Session } from '../../api/types.js';
import { logOut } from '../../state/log-in.js';
import { isPaletteOpen } from '../../state/palette.js';
import { watchWall } from '../../state/wall.js';
import { Icon, type IconName } from '../icon.js';

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

const FIRST: readonly Entry[] = [
  { path: '/', name: 'Overview', icon: 'overview' },
  { path: '/computers', name: 'Computers', icon: 'computers' },
  { path: '/projects', name: 'Projects', icon: 'projects' },
];
const PAGES: readonly Entry[] = [
  { path: '/activity', name: 'Activity', icon: 'activity' },
  { path: '/streams', name: 'Streams', icon: 'streams' },
  { path: '/images', name: 'Images', icon: 'images' },
  { path: '/volumes', name: 'Volumes', icon: 'volumes' },
  { path: '/usage', name: 'Usage', icon: 'usage' },
];
/** Only for keys that may manage. */
const KEYS: Entry = { path: '/keys', name: 'Keys', icon: 'keys' };
/** Only for keys that manage all projects. */
const WEBHOOKS: Entry = { path: '/webhooks', name: 'Webhooks', icon: 'webhooks' };
/** Only for keys of all projects. */
const RUNS: Entry = { path: '/runs', name: 'Runs', icon: 'steps' };
/** Only for those who may see the members of a cluster. */
const HOSTS: Entry = { path: '/hosts', name: 'Hosts', icon: 'hosts' };

/** The pages that the session may see. */
export function pagesOf({ key: { rights, project }, has_members }: Session): Entry[] {
  return [
    ...FIRST,
    ...(rights === 'manage' ? [KEYS] : []),
    ...PAGES,
    ...(project === null ? [RUNS] : []),
    ...(rights === 'manage' && project === null ? [WEBHOOKS] : []),
    ...(has_members ? [HOSTS] : []),
  ];
}

/** The frame around every page: navigation, who is logged in, and the page itself. */
export function Shell({ session, children }: { session: Session; children: ComponentChildren }) {
  const { path } = useLocation();
  const menu = useRef<HTMLElement>(null);
  // On every page: its end shows at once that the session has ended or the service is away.
  useEffect(() => watchWall(), []);
  const openPalette = () => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
    isPaletteOpen.value = true;
  };
  // A new page closes the menu.
  useEffect(() => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  }, [path]);
  const pages = pagesOf(session);
  const isCurrent = (page: string) => (page === '/' ? path === '/' : path.startsWith(page));
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <button type="button" class="ghost square" popovertarget="menu" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <span class="brand">vc</span>
        <span class="muted clip">
          {session.owner.name}, key <bdi>{session.key.name}</bdi>
        </span>
      </header>
      <nav class="side" id="menu" popover="auto" ref={menu} aria-label="Pages">
        <p class="brand">
          <span class="logo" aria-hidden="true" />
          vc
        </p>
        <button type="button" class="find" onClick={openPalette}>
          <Icon name="search" />
          Go to…
          <kbd>Ctrl K</kbd>
        </button>
        <ul>
          {pages.map(({ path: page, name, icon }) => (
            <li key={page}>
              <a href={page} aria-current={isCurrent(page) ? 'page' : undefined}>
                <Icon name={icon} />
                {name}
              </a>
            </li>
          ))}
        </ul>
        <div class="account">
          <p>
            <strong class="clip">{session.owner.name}</strong>
            <span class="muted clip">
              key <bdi>{session.key.name}</bdi>, {session.key.rights}
            </span>
          </p>
          <a class="quiet" href="/api/docs" target="_top">
            HTTP reference
          </a>
          <button type="button" class="small" onClick={() => void logOut()}>
            Log out
          </button>
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
