import type { WebSocket } from 'ws';
import type { ViewEvent } from '../../contract/sockets/view.js';
import type { KeyInUse } from '../../fleet/accounts/limits/key-shares.js';
import { coalesce } from '../../lib/async/coalesce.js';
import { nextTurn } from '../../lib/async/next-turn.js';
import type { CopiedText } from '../../screen/types.js';
import type { ViewerMemory } from '../../vnc-server/channel.js';
import type { MemoryBudget, MemoryLimits } from '../limits/memory-budget.js';
import { clipboardMessage } from './clipboard-message.js';

const MIB = 1024 * 1024;
/** Memory of frames and clipboards that viewers have not read. */
export const VIEW_LIMITS: MemoryLimits = { ownerBytes: 64 * MIB, bytes: 256 * MIB };

/** A key's part of its owner's memory for live views. */
export function viewMemory(budget: MemoryBudget, key: KeyInUse): ViewerMemory {
  return {
    reserve: async (bytes, signal) => {
      await budget.hold(key, bytes, signal);
      let held = bytes;
      const shrink = (left: number) => {
        if (left >= held) return;
        budget.release(key, held - left);
        held = left;
      };
      return { shrink, release: () => shrink(0) };
    },
  };
}

/**
 * Sends texts that were copied in a computer to a viewer. A guest may copy one after the other, so
 * while one is on its way only the latest is kept, and it is dropped if there is no memory for it.
 */
export function clipboardChannel(
  socket: WebSocket,
  budget: MemoryBudget,
  key: KeyInUse,
): (copied: CopiedText) => void {
  let latest: CopiedText | undefined;
  const send = coalesce(async () => {
    if (latest === undefined) return;
    const message = clipboardMessage(latest);
    latest = undefined;
    const data = await message;
    // All views of the screen get the text at once.
    await nextTurn(key.ownerId);
    if (socket.readyState !== socket.OPEN || !budget.tryHold(key, data.length)) return;
    await new Promise<void>((resolve) => socket.send(data, { binary: false }, () => resolve()));
    budget.release(key, data.length);
  });
  return (copied) => {
    latest = copied;
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
