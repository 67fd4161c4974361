import type RFB from '@novnc/novnc';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type Ending,
  openChannel,
  type ViewChannel,
  type ViewEvent,
} from '../../../../view/channel.js';
import { fitDesktop } from '../../../../view/fit.js';
import { type Keys, takeKeys } from '../../../../view/keys.js';
import { socketUrl } from '../../../api/addresses.js';
import { asFailure } from '../../../api/failure.js';
import { call } from '../../../api/http.js';
import { load } from '../../../api/load.js';
import type { Control } from '../../../api/types.js';
import { lastPicture } from '../../../state/pictures.js';
import { watchEscape } from './escape.js';

export interface Live {
  readonly state: 'connecting' | 'live';
  /** Why there is no picture. */
  readonly reason: string | undefined;
  /** The text that was copied in the computer last. */
  readonly clipboard: string;
  readonly rfb: () => RFB | undefined;
  /** Shows the keyboard of a phone. */
  readonly showKeyboard: () => void;
}

interface LiveOptions {
  readonly id: string;
  readonly mode: 'view' | 'control';
  readonly isOn: boolean;
  readonly target: RefObject<HTMLElement | null>;
  /** The keys that leave the screen were pressed. */
  readonly onEscape: () => void;
  readonly onControl: (control: Control | null, isMine: boolean) => void;
}

const RETRY_MS = 1_000;

/** Shows the screen in `target`, and connects again when the connection ends. */
export function useLive({ id, mode, isOn, target, onEscape, onControl }: LiveOptions): Live {
  const [state, setState] = useState<Live['state']>('connecting');
  const [reason, setReason] = useState<string>();
  const [clipboard, setClipboard] = useState('');
  const [attempt, setAttempt] = useState(0);
  const rfb = useRef<RFB | undefined>(undefined);
  const keys = useRef<Keys | undefined>(undefined);
  const handlers = useRef({ onEscape, onControl });
  handlers.current = { onEscape, onControl };
  // Each attempt connects again.
  useEffect(() => {
    const element = target.current;
    if (!isOn || element === null) return undefined;
    if (element.childElementCount === 0) showThumbnail(element, id);
    const left = new AbortController();
    let channel: ViewChannel | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (why: string) => {
      if (left.signal.aborted) return;
      setState('connecting');
      setReason(why);
      timer = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS);
    };
    const onEvent = (event: ViewEvent) => {
      if (event.type === 'clipboard') setClipboard(String(event.text));
      if (event.type !== 'control') return;
      handlers.current.onControl(event.control as Control | null, event.is_mine === true);
    };
    const open = async () => {
      const { url } = await call<{ url: string }>('POST', `/computers/${id}/view`, {
        body: { mode },
        signal: left.signal,
      });
      const connected = await connectScreen(id, new URL(url).hash.slice(1), element, {
        mode,
        signal: left.signal,
        onEvent,
        onKeys: (given) => {
          keys.current = given;
        },
        onLive: () => {
          setState('live');
          setReason(undefined);
        },
        onEnd: (ending: Ending | undefined) =>
          again(ending?.reason ?? 'The connection was lost. Connecting again…'),
      });
      channel = connected.channel;
      rfb.current = connected.rfb;
    };
    open().catch((error: unknown) => again(asFailure(error).message));
    const stopWatching = watchEscape(element, () => handlers.current.onEscape());
    return () => {
      left.abort();
      clearTimeout(timer);
      stopWatching();
      channel?.close();
      rfb.current = undefined;
    };
  }, [id, mode, isOn, attempt]);
  return {
    state: isOn ? state : 'connecting',
    reason,
    clipboard,
    rfb: () => rfb.current,
    showKeyboard: () => keys.current?.showKeyboard(),
  };
}

interface Handlers {
  readonly mode: 'view' | 'control';
  readonly signal: AbortSignal;
  readonly onLive: () => void;
  readonly onKeys: (keys: Keys) => void;
  readonly onEvent: (event: ViewEvent) => void;
  /** Without an ending the connection was lost. */
  readonly onEnd: (ending: Ending | undefined) => void;
}

/** Opens the socket of the live view and shows it in `element`. */
async function connectScreen(
  id: string,
  ticket: string,
  element: HTMLElement,
  { mode, signal, onLive, onKeys, onEvent, onEnd }: Handlers,
): Promise<{ channel: ViewChannel; rfb: RFB }> {
  // A chunk of its own: noVNC is larger than the rest of the page.
  const loading = load(() => import('@novnc/novnc'));
  // The socket opens meanwhile.
  loading.catch(() => undefined);
  return new Promise((resolve, reject) => {
    let shown: HTMLElement | null | undefined;
    const attach = async (channel: ViewChannel) => {
      const { default: Screen } = await loading;
      if (signal.aborted || channel.readyState !== WebSocket.OPEN) return;
      shown = element.querySelector('canvas, img')?.parentElement;
      element.replaceChildren();
      const rfb = new Screen(element, channel, { shared: true });
      rfb.viewOnly = mode === 'view';
      rfb.scaleViewport = true;
      rfb.background = 'transparent';
      // The last picture covers the screen until the first frame is there.
      shown?.classList.add('last');
      if (shown) element.append(shown);
      rfb.addEventListener('disconnect', () => {
        if (shown && element.querySelector('canvas') === null) keepPicture(element, shown);
      });
      rfb.addEventListener('connect', () => {
        const canvas = element.querySelector('canvas');
        canvas?.setAttribute('role', 'img');
        canvas?.setAttribute('aria-label', 'Screen of the computer');
        fitDesktop(element);
        if (signal.aborted || mode !== 'control') return;
        onKeys(takeKeys(element, rfb, (text) => channel.sendCommand({ type: 'text', text })));
        rfb.focus({ preventScroll: true });
      });
      resolve({ channel, rfb });
    };
    const opened = openChannel(socketUrl(`/view/${id}/socket`), ticket, {
      onReady: (_event, channel) => {
        channel.onevent = onEvent;
        attach(channel).catch((error: unknown) => {
          reject(error);
          channel.close();
        });
      },
      onFrame: () => {
        if (signal.aborted) return;
        shown?.remove();
        shown = element.querySelector('canvas')?.parentElement;
        onLive();
      },
      onClosed: (ending) => {
        reject(new Error(ending?.reason ?? 'The connection was lost. Connecting again…'));
        if (!signal.aborted) onEnd(ending);
      },
    });
    signal.addEventListener('abort', () => opened.close());
  });
}

/** Shows the last picture of a screen that noVNC has removed. */
function keepPicture(element: HTMLElement, shown: HTMLElement): void {
  const canvas = shown.querySelector('canvas');
  if (canvas !== null) showStill(element, canvas, shown);
}

/** Shows the picture of the wall, if there was one, until the screen is connected. */
function showThumbnail(element: HTMLElement, id: string): void {
  const url = lastPicture(id);
  if (url === undefined) return;
  const picture = document.createElement('img');
  picture.src = url;
  picture.alt = '';
  showStill(element, picture);
}

function showStill(
  element: HTMLElement,
  picture: HTMLElement,
  frame: HTMLElement = document.createElement('div'),
): void {
  Object.assign(picture.style, { width: '100%', height: '100%', objectFit: 'contain' });
  frame.classList.add('last');
  frame.append(picture);
  element.replaceChildren(frame);
}
