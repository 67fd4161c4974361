import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider } from 'preact-iso';
import type { Failure } from './api/failure.js';
import { load } from './api/load.js';
import { FailureDetails } from './components/failure.js';
import { Shell } from './components/frame/shell.js';
import { Icon } from './components/icon.js';
import { loaded } from './components/loaded.js';
import { Pages } from './pages/pages.js';
import { PaletteHost } from './pages/palette/host.js';
import { login, preload } from './parts.js';
import { isAway } from './state/connection.js';
import { otherLink, resume } from './state/log-in.js';
import { dismiss, notices } from './state/notices.js';
import { session } from './state/session.js';

/** Milliseconds after which a page with a session loads the login too: the service may be away when it ends. */
const LOGIN_MS = 5_000;

const Login = loaded(async () => (await login()).Login);
const OtherLink = loaded(async () => (await login()).OtherLink);

/** The page: the login, or what the session may see. */
function App() {
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    void resume().then(setFailure);
    setTimeout(() => void load(login).catch(() => undefined), LOGIN_MS);
  }, []);
  const current = session.value;
  return (
    <LocationProvider scope={/^\/(?!api\/|assets\/|terminal\/)/}>
      <ErrorBoundary>
        <Banner />
        {current === undefined && <p class="boot">Loading…</p>}
        {current === null && <Login failure={failure} />}
        {current && (
          <Shell session={current}>
            <Pages />
            {otherLink.value !== undefined && <OtherLink />}
            <PaletteHost session={current} />
          </Shell>
        )}
        <Notices />
      </ErrorBoundary>
    </LocationProvider>
  );
}

/** Says that the service is away; the page stays as it was last seen. */
function Banner() {
  return (
    <div role="status">
      {isAway.value && (
        <p class="banner">
          <span class="spinner" aria-hidden="true" />
          The service is not reachable. What you see may be old.
        </p>
      )}
    </div>
  );
}

/** What was done or failed lately, at the lower edge. */
function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, failed, retry }) => (
        <div key={id} class={failed.length === 0 ? 'notice' : 'notice bad'}>
          <div>
            <p class="break">{text}</p>
            {failed.map(({ failure, names }) => (
              <div key={failure.message}>
                {names.length > 0 && <p class="names break">{names.join(', ')}</p>}
                <FailureDetails failure={failure} />
              </div>
            ))}
            {retry !== undefined && (
              <button
                type="button"
                class="small"
                onClick={() => {
                  dismiss(id);
                  retry();
                }}
              >
                Retry
              </button>
            )}
          </div>
          <button
            type="button"
            class="ghost square"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

// A file that is dropped beside the place for it would replace the page.
for (const type of ['dragover', 'drop']) {
  window.addEventListener(type, (event) => event.preventDefault());
}

// A link is pointed at before it is followed.
for (const type of ['pointerover', 'focusin']) {
  document.addEventListener(type, ({ target }) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href^="/"]');
    if (link) preload(link.pathname);
  });
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
