import type { Client } from 'ssh2';

/**
 * Most bytes that are taken for channels that the service has closed: those of 32 whole windows. A
 * guest that has not seen the close may use the rest of the window.
 */
const MOST_LATE = 64 * 1024 * 1024;

/** SSH_EXTENDED_DATA_STDERR, the only type that there is. */
const STDERR = 1;

/** The parts of ssh2 that have no public interface. */
interface Internals {
  readonly _chanMgr?: {
    get(id: number): unknown;
    remove(id: number): void;
  };
  readonly _protocol?: {
    readonly _handlers?: {
      CHANNEL_DATA?: DataHandler;
      CHANNEL_EXTENDED_DATA?: DataHandler;
    };
  };
}

type DataHandler = (protocol: unknown, id: number, data: Buffer, type?: number) => void;

interface Opened {
  /** What the guest may still send. */
  readonly incoming: { readonly window: number };
  readonly outgoing: { readonly state: string };
}

interface WindowOptions {
  /** Gets the number of bytes that the guest was allowed to send. */
  allowed(bytes: number): void;
  /** Called for each packet beyond what it was allowed, which is dropped. */
  exceeded(): void;
}

/**
 * Checks that the guest sends no more than the windows of its channels allow (RFC 4254, section 5.2).
 * ssh2 takes or drops what is beyond them, and what is for a channel that does not exist.
 * Call after `connect`.
 */
export function limitWindows(client: Client, { allowed, exceeded }: WindowOptions): void {
  const { _chanMgr: channels, _protocol: protocol } = client as unknown as Internals;
  const handlers = protocol?._handlers;
  if (channels === undefined || handlers === undefined) return;
  let late = 0;
  const remove = channels.remove.bind(channels);
  channels.remove = (id) => {
    const channel = channels.get(id);
    // A guest that closes a channel itself may send nothing after that.
    const isOurs = isOpened(channel) && channel.outgoing.state === 'closing';
    if (isOurs) late = Math.min(MOST_LATE, late + Math.max(0, channel.incoming.window));
    remove(id);
  };
  for (const name of ['CHANNEL_DATA', 'CHANNEL_EXTENDED_DATA'] as const) {
    const handle = handlers[name];
    handlers[name] = (source, id, data, type = STDERR) => {
      // ssh2 drops others, and counts them for no window.
      if (type !== STDERR) return;
      const channel = channels.get(id);
      const isOpen = isOpened(channel);
      if (data.length > (isOpen ? channel.incoming.window : late)) return exceeded();
      if (!isOpen) late -= data.length;
      allowed(data.length);
      handle?.(source, id, data, type);
    };
  }
}

function isOpened(channel: unknown): channel is Opened {
  return typeof channel === 'object' && channel !== null && 'incoming' in channel;
}
