import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy, Route, Router, useLocation } from 'preact-iso';
import { load } from '../api/load.js';
import { Empty } from '../components/empty.js';
import { parts } from '../parts.js';

const loaded = Object.entries(parts).map(
  ([path, part]) => [path, lazy(() => load<ComponentType>(part).catch(() => NotLoaded))] as const,
);

/** The page of the address. */
export function Pages() {
  return (
    <Router>
      <Route path="/login" component={Home} />
      {loaded.map(([path, component]) => (
        <Route key={path} path={path} component={component} />
      ))}
      <Route default component={Unknown} />
    </Router>
  );
}

/** A terminal leads to `/login?to=PATH`; any other path would be that of a link by someone else. */
const TERMINAL = /^\/terminal\/\w+$/;

function Home() {
  const { route, query } = useLocation();
  useEffect(() => {
    if (TERMINAL.test(query.to ?? '')) location.replace(query.to ?? '/');
    else route('/', true);
  }, []);
  return null;
}

function NotLoaded() {
  return (
    <Empty title="This page could not be loaded">
      <p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </Empty>
  );
}

function Unknown() {
  return (
    <Empty title="There is no such page">
      <p>
        <a href="/computers">Go to the computers</a>
      </p>
    </Empty>
  );
}
