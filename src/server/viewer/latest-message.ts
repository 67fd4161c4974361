import type { WebSocket } from 'ws';
import type { ViewEvent } from '../../contract/sockets/view.js';
import type { CopiedText } from '../../screen/types.js';

/**
 * Sends texts that were copied in a computer to a viewer. A guest may copy one after the other, so
 * while one is on its way only the latest is kept.
 */
export function clipboardChannel(socket: WebSocket): (copied: CopiedText) => void {
  let text = '';
  const send = stateChannel(socket, () => ({ type: 'clipboard', text }));
  return (copied) => {
    text = copied.text;
    send();
  };
}

/**
 * Sends a state to a viewer. While one message is on its way, no further one is queued: when it was
 * sent, the state of then follows, if it has changed.
 */
export function stateChannel(socket: WebSocket, state: () => ViewEvent): () => void {
  let isSending = false;
  let hasChanged = false;
  const send = () => {
    hasChanged = false;
    if (socket.readyState !== socket.OPEN) return;
    isSending = true;
    socket.send(JSON.stringify(state()), () => {
      isSending = false;
      if (hasChanged) send();
    });
  };
  return () => {
    if (isSending) hasChanged = true;
    else send();
  };
}
