import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { call } from '../../api/http.js';
import type { Computer, Rights, WallComputer } from '../../api/types.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { Icon, type IconName } from '../../components/icon.js';
import { Item, Menu } from '../../components/menu.js';
import { StatusMark } from '../../components/status.js';
import { tell, tellFailure } from '../../state/notices.js';
import { perform, shownStatus } from '../../state/power.js';
import { may } from '../../state/session.js';
import { forgetComputer, noteComputer } from '../../state/wall.js';
import { ForkDialog, SaveImageDialog } from '../snapshots/copy-dialogs.js';
import { ShareDialog } from './share.js';

export type Tab =
  | 'screen'
  | 'files'
  | 'trajectory'
  | 'snapshots'
  | 'settings'
  | 'terminal'
  | 'activity';

const TABS: readonly { tab: Tab; name: string; icon: IconName; needs?: Rights }[] = [
  { tab: 'screen', name: 'Screen', icon: 'screen' },
  { tab: 'files', name: 'Files', icon: 'files', needs: 'act' },
  { tab: 'trajectory', name: 'Trajectory', icon: 'steps' },
  { tab: 'snapshots', name: 'Snapshots', icon: 'fork' },
  { tab: 'settings', name: 'Settings', icon: 'settings' },
  { tab: 'terminal', name: 'Terminal', icon: 'terminal', needs: 'act' },
  { tab: 'activity', name: 'Activity', icon: 'activity' },
];

interface HeaderProps {
  readonly computer: Computer;
  readonly tab: Tab;
  /** Buttons before the menu. */
  readonly children: ComponentChildren;
}

/** The computer's name and status, and its pages. */
export function ComputerHeader({ computer, tab, children }: HeaderProps) {
  const address = `/computers/${computer.id}`;
  return (
    <header class="computer-head">
      <div class="title">
        <a class="clip" href={`/computers?project=${encodeURIComponent(computer.project_name)}`}>
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
        {children}
        <ActionsMenu computer={computer} />
      </div>
      <nav class="tabs" aria-label="Pages of the computer">
        {TABS.filter(({ needs }) => needs === undefined || may.value(needs)).map(
          ({ tab: each, name, icon }) => (
            <a
              key={each}
              href={each === 'screen' ? address : `${address}/${each}`}
              aria-current={each === tab ? 'page' : undefined}
            >
              <Icon name={icon} />
              {name}
            </a>
          ),
        )}
      </nav>
    </header>
  );
}

type Open = 'share' | 'fork' | 'image' | 'delete';

/** What can be done with the computer. */
function ActionsMenu({ computer }: { computer: Computer }) {
  const [open, setOpen] = useState<Open>();
  const { route } = useLocation();
  const { id, status, name, project_name } = computer;
  const path = `/computers/${id}`;
  const close = () => setOpen(undefined);
  const isOn = status === 'running' || status === 'starting';
  const setProtection = (isProtected: boolean) =>
    void call<WallComputer>('PATCH', path, { body: { protected: isProtected } }).then(
      noteComputer,
      (error) => tellFailure(`Could not change ${name}`, error),
    );
  return (
    <>
      <Menu label="Actions" icon="more" wide>
        <Item
          icon="start"
          disabled={isOn || !may.value('act')}
          onClick={() => void perform('start', [computer])}
        >
          Start
        </Item>
        <Item
          icon="stop"
          disabled={!isOn || !may.value('act')}
          onClick={() => void perform('stop', [computer])}
        >
          Stop
        </Item>
        <Item
          icon="restart"
          disabled={!isOn || !may.value('act')}
          onClick={() => void perform('restart', [computer])}
        >
          Restart
        </Item>
        <hr />
        <Item icon="user" disabled={!may.value('manage')} onClick={() => setOpen('share')}>
          Share…
        </Item>
        <Item icon="fork" disabled={!may.value('manage')} onClick={() => setOpen('fork')}>
          Fork…
        </Item>
        <Item icon="images" disabled={!may.value('manage')} onClick={() => setOpen('image')}>
          Save as image…
        </Item>
        <Item
          disabled={!may.value('manage')}
          icon="keys"
          onClick={() => setProtection(!computer.protected)}
        >
          {computer.protected ? 'Allow deletion' : 'Protect from deletion'}
        </Item>
        <Item
          icon="trash"
          danger
          disabled={!may.value('manage') || computer.protected}
          onClick={() => setOpen('delete')}
        >
          Delete…
        </Item>
      </Menu>
      {open === 'share' && <ShareDialog computer={computer} onClose={close} />}
      {open === 'fork' && <ForkDialog computer={computer} onClose={close} />}
      {open === 'image' && <SaveImageDialog computer={computer} onClose={close} />}
      {open === 'delete' && (
        <FormDialog
          title={`Delete ${name}?`}
          submit="Delete computer"
          danger
          intent={() => ({ method: 'DELETE', path, vc: ['rm', `${project_name}/${name}`] })}
          onDone={() => {
            tell(`${project_name}/${name} deleted`);
            route('/computers');
            forgetComputer(id);
          }}
          onClose={close}
        >
          <p>Everything on its disk is lost. This cannot be undone.</p>
        </FormDialog>
      )}
    </>
  );
}
