import type RFB from '@novnc/novnc';
import {
  type Ending,
  openChannel,
  type ViewChannel,
  type ViewEvent,
} from '../../../../view/channel.js';
import { fitDesktop } from '../../../../view/fit.js';
import { load } from '../../../api/load.js';
import { socketUrl } from '../../../api/socket.js';

interface Handlers {
  readonly mode: 'view' | 'control';
  readonly signal: AbortSignal;
  readonly onLive: () => void;
  readonly onEvent: (event: ViewEvent) => void;
  /** Without an ending the connection was lost. */
  readonly onEnd: (ending: Ending | undefined) => void;
}

/** Opens the socket of the live view and shows it in `element`. */
export async function connectScreen(
  id: string,
  ticket: string,
  element: HTMLElement,
  { mode, signal, onLive, onEvent, onEnd }: Handlers,
): Promise<{ channel: ViewChannel; rfb: RFB }> {
  // A chunk of its own: noVNC is larger than the rest of the page.
  const { default: Screen } = await load(() => import('@novnc/novnc'));
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const opened = openChannel(socketUrl(`/view/${id}/socket`), ticket, {
      onReady: (_event, channel) => {
        element.replaceChildren();
        const rfb = new Screen(element, channel, { shared: true });
        rfb.viewOnly = mode === 'view';
        rfb.scaleViewport = true;
        rfb.background = 'transparent';
        channel.onevent = onEvent;
        rfb.addEventListener('connect', () => {
          if (signal.aborted) return;
          fitDesktop(element);
          if (mode === 'control') rfb.focus({ preventScroll: true });
          onLive();
        });
        resolve({ channel, rfb });
      },
      onClosed: (ending) => {
        reject(new Error(ending?.reason ?? 'The connection was lost. Connecting again…'));
        if (!signal.aborted) onEnd(ending);
      },
    });
    signal.addEventListener('abort', () => opened.close());
  });
}
