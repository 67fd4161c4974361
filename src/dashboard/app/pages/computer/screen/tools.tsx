import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../../api/http.js';
import type { Computer } from '../../../api/types.js';
import { Icon, type IconName } from '../../../components/icon.js';
import { Item, Menu } from '../../../components/menu.js';
import { tellFailure } from '../../../state/notices.js';
import { save } from '../../../state/save.js';
import { may, ofAllProjects } from '../../../state/session.js';
import { ClipboardDialog, useSharedClipboard } from './clipboard.js';
import type { Live } from './live.js';
import { RecordDialog } from './record.js';
import { SoundTool } from './sound.js';
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
  /** The next key goes to the computer again. */
  const toScreen = () => {
    if (isMine) setTimeout(() => live.rfb()?.focus());
  };
  const close = () => setOpen(undefined);
  useSharedClipboard(computer, live, isMine);
  // After the dialog has given the focus back to its button.
  useEffect(() => (open === undefined ? undefined : toScreen), [open]);
  return (
    <div class="tools" role="toolbar" aria-label="Tools">
      {isMine && matchMedia('(pointer: coarse)').matches && (
        <Tool name="Keyboard" icon="keyboard" off={!isLive} onClick={live.showKeyboard} />
      )}
      {isMine && <SpecialKeys live={live} onPressed={toScreen} />}
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
        onClick={() => void savePicture(computer).then(toScreen)}
      />
      <SoundTool computer={computer} live={live} />
      <Tool name="Record" icon="record" off={!isLive} onClick={() => setOpen('record')} />
      <Tool
        name="Stream"
        icon="streams"
        off={!isLive || !may.value('act') || !ofAllProjects.value}
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

/** Keysyms and codes of the keys below. */
const KEYS = {
  Ctrl: [0xffe3, 'ControlLeft'],
  Alt: [0xffe9, 'AltLeft'],
  Super: [0xffeb, 'MetaLeft'],
  Tab: [0xff09, 'Tab'],
  Esc: [0xff1b, 'Escape'],
  Del: [0xffff, 'Delete'],
  F4: [0xffc1, 'F4'],
  F11: [0xffc8, 'F11'],
  W: [0x77, 'KeyW'],
  T: [0x74, 'KeyT'],
  Print: [0xff61, 'PrintScreen'],
} as const;

/** What browsers and desktops keep for themselves. */
const COMBINATIONS: readonly (readonly (keyof typeof KEYS)[])[] = [
  ['Ctrl', 'Alt', 'Del'],
  ['Ctrl', 'Alt', 'T'],
  ['Alt', 'Tab'],
  ['Alt', 'F4'],
  ['Ctrl', 'W'],
  ['Super'],
  ['Esc'],
  ['Tab'],
  ['F11'],
  ['Print'],
];

/** A menu of keys that the person's own system would take. */
function SpecialKeys({ live, onPressed }: { live: Live; onPressed: () => void }) {
  const press = (keys: readonly (keyof typeof KEYS)[]) => {
    const rfb = live.rfb();
    for (const key of keys) rfb?.sendKey(KEYS[key][0], KEYS[key][1], true);
    for (const key of keys.toReversed()) rfb?.sendKey(KEYS[key][0], KEYS[key][1], false);
    onPressed();
  };
  return (
    <Menu label="Special keys" icon="specialKeys">
      {COMBINATIONS.map((keys) => (
        <Item key={keys.join()} onClick={() => press(keys)}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </Item>
      ))}
    </Menu>
  );
}
