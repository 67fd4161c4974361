import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider } from 'preact-iso';
import type { Failure } from './api/failure.js';
import { Banner } from './components/frame/banner.js';
import { Notices } from './components/frame/notices.js';
import { Shell } from './components/frame/shell.js';
import { Login, OtherLink } from './pages/login/login.js';
import { Pages } from './pages/pages.js';
import { resume } from './state/log-in.js';
import { session } from './state/session.js';

/** The page: the login, or what the session may see. */
export function App() {
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    void resume().then(setFailure);
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
            <OtherLink />
          </Shell>
        )}
        <Notices />
      </ErrorBoundary>
    </LocationProvider>
  );
}
