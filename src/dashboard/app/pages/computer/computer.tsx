import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { asFailure, type Failure } from '../../api/failure.js';
import { call } from '../../api/http.js';
import type { WallComputer } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Icon } from '../../components/icon.js';
import { loaded } from '../../components/loaded.js';
import { returns } from '../../state/connection.js';
import { may } from '../../state/session.js';
import { visible } from '../../state/visible.js';
import { computers, isListed, noteComputer } from '../../state/wall.js';
import { FilesTab } from '../files/files.js';
import { ComputerHeader, type Tab } from './header.js';
import { ScreenTab } from './screen/screen-tab.js';
import { SettingsTab } from './settings/settings-tab.js';
import { Terminals, TerminalTab, useTerminals } from './terminals.js';

const TABS: Readonly<Record<Tab, ComponentType<{ computer: WallComputer }>>> = {
  screen: ScreenTab,
  files: FilesTab,
  trajectory: loaded(async () => (await import('../trajectory/trajectory.js')).Trajectory),
  snapshots: loaded(async () => (await import('../snapshots/snapshots.js')).Snapshots),
  settings: SettingsTab,
  terminal: TerminalTab,
  activity: loaded(async () => (await import('../activity/activity.js')).Activity),
};

/** One computer: its screen, its files and its settings. */
export function ComputerPage() {
  const { id = '', tab = 'screen' } = useRoute().params;
  const [failure, setFailure] = useState<Failure>();
  const [terminals, setTerminals] = useTerminals(id);
  const back = returns.value;
  // `back` grows when the service is back.
  useEffect(() => {
    setFailure(undefined);
    call<WallComputer>('GET', `/computers/${encodeURIComponent(id)}`).then(noteComputer, (error) =>
      setFailure(asFailure(error)),
    );
  }, [id, back]);
  const computer = computers.value.get(id);
  const title = computer === undefined ? 'Computer' : `${computer.project_name}/${computer.name}`;
  useEffect(() => {
    document.title = visible(`${title} – vc`);
  }, [title]);
  if (computer === undefined) {
    const isGone = isListed.value || failure !== undefined;
    return (
      <div class="page">
        <h1>Computer</h1>
        <FailureNote failure={failure?.status === 404 ? undefined : failure} />
        {isGone ? <Gone /> : <p class="muted">Loading…</p>}
      </div>
    );
  }
  const isTab = (name: string): name is Tab => Object.hasOwn(TABS, name);
  const current = isTab(tab) ? tab : 'screen';
  const Content = TABS[current];
  const hasTerminals = terminals.length > 0 && computer.status === 'running' && may.value('act');
  return (
    <div class="computer" data-tab={current} data-terminals={hasTerminals}>
      <ComputerHeader computer={computer} tab={current}>
        {computer.status === 'running' && may.value('act') && (
          <button
            type="button"
            class="toggle"
            aria-label="Terminals"
            aria-pressed={hasTerminals}
            onClick={() => setTerminals(hasTerminals ? [] : [1])}
          >
            <Icon name="terminal" />
            <span>Terminals</span>
          </button>
        )}
      </ComputerHeader>
      <Content key={computer.id} computer={computer} />
      {hasTerminals && (
        <Terminals
          key={`terminals ${id}`}
          computer={computer}
          open={terminals}
          onChange={setTerminals}
        />
      )}
    </div>
  );
}

function Gone() {
  return (
    <Empty title="There is no such computer">
      <p>
        It may have been deleted. <a href="/computers">Go to the computers</a>
      </p>
    </Empty>
  );
}
