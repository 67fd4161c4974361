import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy, Route, Router, useLocation } from 'preact-iso';
import { load } from '../api/load.js';
import { Empty } from '../components/empty.js';
import { Overview } from './overview/overview.js';

const Wall = page(async () => (await import('./wall/wall.js')).Wall);
const Projects = page(async () => (await import('./projects/projects.js')).Projects);
const Keys = page(async () => (await import('./keys/keys.js')).Keys);
const ProjectDetails = page(async () => (await import('./project/project.js')).ProjectPage);
const Computer = page(async () => (await import('./computer/computer.js')).ComputerPage);
const Activity = page(async () => (await import('./activity/activity.js')).Activity);
const Streams = page(async () => (await import('./streams/streams.js')).Streams);
const Webhooks = page(async () => (await import('./webhooks/webhooks.js')).Webhooks);
const Images = page(async () => (await import('./images/images.js')).Images);
const Volumes = page(async () => (await import('./volumes/volumes.js')).Volumes);
const Hosts = page(async () => (await import('./hosts/hosts.js')).Hosts);
const Runs = page(async () => (await import('./runs/runs.js')).Runs);
const Usage = page(async () => (await import('./usage/usage.js')).Usage);

function page(part: () => Promise<ComponentType>) {
  return lazy(() => load(part).catch(() => NotLoaded));
}

/** The page of the address. */
export function Pages() {
  return (
    <Router>
      <Route path="/" component={Overview} />
      <Route path="/computers" component={Wall} />
      <Route path="/login" component={Home} />
      <Route path="/projects" component={Projects} />
      <Route path="/projects/:id" component={ProjectDetails} />
      <Route path="/keys" component={Keys} />
      <Route path="/computers/:id/:tab?" component={Computer} />
      <Route path="/activity" component={Activity} />
      <Route path="/streams" component={Streams} />
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/images" component={Images} />
      <Route path="/volumes" component={Volumes} />
      <Route path="/hosts" component={Hosts} />
      <Route path="/runs" component={Runs} />
      <Route path="/usage" component={Usage} />
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
