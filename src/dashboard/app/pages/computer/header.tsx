import type { Computer } from '../../api/types.js';
import { Icon, type IconName } from '../../components/icon.js';
import { StatusMark } from '../../components/status.js';
import { shownStatus } from '../../state/power.js';
import { PowerMenu } from './power-menu.js';

export type Tab = 'screen' | 'files' | 'trajectory' | 'settings';

const TABS: readonly { tab: Tab; name: string; icon: IconName }[] = [
  { tab: 'screen', name: 'Screen', icon: 'screen' },
  { tab: 'files', name: 'Files', icon: 'files' },
  { tab: 'trajectory', name: 'Trajectory', icon: 'steps' },
  { tab: 'settings', name: 'Settings', icon: 'settings' },
];

/** The computer's name and status, and its pages. */
export function ComputerHeader({ computer, tab }: { computer: Computer; tab: Tab }) {
  const address = `/computers/${computer.id}`;
  return (
    <header class="computer-head">
      <div class="title">
        <a class="clip" href={`/?project=${encodeURIComponent(computer.project_name)}`}>
          {computer.project_name}
        </a>
        <span class="muted" aria-hidden="true">
          /
        </span>
        <h1 class="clip" title={computer.name}>
          {computer.name}
        </h1>
        <StatusMark status={shownStatus(computer)} reason={computer.status_reason} />
        <span class="gap" />
        <PowerMenu computer={computer} />
      </div>
      <nav class="tabs" aria-label="Pages of the computer">
        {TABS.map(({ tab: each, name, icon }) => (
          <a
            key={each}
            href={each === 'screen' ? address : `${address}/${each}`}
            aria-current={each === tab ? 'page' : undefined}
          >
            <Icon name={icon} />
            {name}
          </a>
        ))}
        <a href={`/terminal/${computer.id}`} target="_top">
          <Icon name="terminal" />
          Terminal
        </a>
        <a href={`/activity?computer=${computer.id}`}>
          <Icon name="activity" />
          Activity
        </a>
      </nav>
    </header>
  );
}
