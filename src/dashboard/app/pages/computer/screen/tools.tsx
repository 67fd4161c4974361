import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { request } from '../../../api/http.js';
import type { Computer } from '../../../api/types.js';
import { Icon, type IconName } from '../../../components/icon.js';
import { tellFailure } from '../../../state/notices.js';
import { save } from '../../../state/save.js';
import { may } from '../../../state/session.js';
import { ClipboardDialog } from './clipboard.js';
import type { Live } from './live.js';
import { RecordDialog } from './record.js';
import { SpecialKeys } from './special-keys.js';
import { StreamDialog } from './stream.js';

interface ToolsProps {
  readonly computer: Computer;
  readonly live: Live;
  readonly isMine: boolean;
  readonly frame: RefObject<HTMLElement | null>;
}

type Open = 'clipboard' | 'record' | 'stream';

/** What can be done with the screen besides driving it. */
export function Tools({ computer, live, isMine, frame }: ToolsProps) {
  const [open, setOpen] = useState<Open>();
  const isLive = live.state === 'live';
  const close = () => setOpen(undefined);
  return (
    <div class="tools" role="toolbar" aria-label="Tools">
      {isMine && <SpecialKeys live={live} />}
      <Tool
        name="Clipboard"
        icon="clipboard"
        off={!isLive || !may.value('act')}
        onClick={() => setOpen('clipboard')}
      />
      <Tool
        name="Save a picture"
        icon="camera"
        off={!isLive}
        onClick={() => void savePicture(computer)}
      />
      <Tool name="Record" icon="record" off={!isLive} onClick={() => setOpen('record')} />
      <Tool
        name="Stream"
        icon="streams"
        off={!isLive || !may.value('act')}
        onClick={() => setOpen('stream')}
      />
      <Tool
        name="Full screen"
        icon="fullscreen"
        off={false}
        onClick={() => void toggleFullScreen(frame, live)}
      />
      {open === 'clipboard' && (
        <ClipboardDialog computer={computer} copied={live.clipboard} onClose={close} />
      )}
      {open === 'record' && <RecordDialog computer={computer} onClose={close} />}
      {open === 'stream' && <StreamDialog computer={computer} onClose={close} />}
    </div>
  );
}

interface ToolProps {
  readonly name: string;
  readonly icon: IconName;
  readonly off: boolean;
  readonly onClick: () => void;
}

function Tool({ name, icon, off, onClick }: ToolProps) {
  return (
    <button
      type="button"
      class="ghost square"
      aria-label={name}
      title={name}
      disabled={off}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

async function savePicture({ id, name }: Computer): Promise<void> {
  try {
    const picture = await request('GET', `/computers/${id}/screenshot`, { accept: 'image/png' });
    save(`${name}.png`, await picture.blob());
  } catch (error) {
    tellFailure('Could not take a picture', error);
  }
}

async function toggleFullScreen(frame: RefObject<HTMLElement | null>, live: Live): Promise<void> {
  if (document.fullscreenElement !== null) return document.exitFullscreen();
  await frame.current?.requestFullscreen();
  live.rfb()?.focus();
  // Escape, Ctrl+W and the like reach the computer too, where the browser lets them.
  const { keyboard } = navigator as { keyboard?: { lock?: () => Promise<void> } };
  await keyboard?.lock?.().catch(() => undefined);
}
