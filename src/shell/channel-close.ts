import type { Client, ClientChannel } from 'ssh2';

/** The parts of ssh2 that have no public interface. */
interface Internals {
  readonly _chanMgr?: {
    readonly _cur: number;
    get(id: number): unknown;
    update(id: number, channel: unknown): void;
  };
  readonly _protocol?: {
    readonly _handlers?: { CHANNEL_CLOSE?(protocol: unknown, id: number): void };
  };
}

interface Opened {
  readonly type: string;
  readonly incoming: { readonly state: string };
  /** Sends the close; `destroy` does so for a file transfer session. */
  close(): void;
  destroy(): void;
}

/**
 * Makes a channel count as closed as soon as this side closes it. ssh2 keeps it, with its listeners and
 * its unread and unsent bytes, until the guest confirms that, which may be never. What the guest still
 * sends for it is ignored: ssh2 uses no channel number twice. Call after `connect`; a channel for which
 * `isUnwanted` is closed after it was opened. `unused` gets each one that opens, by its number.
 */
export function closeChannelsAtOnce(
  client: Client,
  isUnwanted: (id: number) => boolean,
  unused: Map<number, ClientChannel>,
): void {
  const { _chanMgr: channels, _protocol: protocol } = client as unknown as Internals;
  if (channels === undefined) return;
  const update = channels.update.bind(channels);
  channels.update = (id, channel) => {
    update(id, channel);
    const opened = channel as Opened;
    const method = isStream(channel) ? 'close' : 'destroy';
    const send = opened[method].bind(opened);
    opened[method] = () => {
      send();
      // The guest has closed it first, and its output may still be read.
      if (opened.incoming.state === 'closed') return;
      if (isStream(channel)) dropOutput(channel);
      protocol?._handlers?.CHANNEL_CLOSE?.(protocol, id);
    };
    if (isStream(channel)) {
      // A guest may send more after an end, also before the channel is handed out.
      for (const output of [channel, channel.stderr]) output.on('error', () => undefined);
      if (!isUnwanted(id)) unused.set(id, channel);
      keepEnded(channel, send);
    }
    // ssh2 sends the request that follows the opening in between.
    if (isUnwanted(id)) queueMicrotask(() => opened[method]());
  };
}

/**
 * Node destroys a channel that has ended in both directions. The exit status of a command may not have
 * come yet, so only the close is sent then.
 */
function keepEnded(channel: ClientChannel & Opened, send: () => void): void {
  channel.destroy = () => {
    channel.end();
    if (channel.type === 'session' && channel.incoming.state === 'eof') send();
    else channel.close();
    return channel;
  };
}

/** The number of the channel whose opening was requested last. */
export function latestChannel(client: Client): number {
  return (client as unknown as Internals)._chanMgr?._cur ?? -1;
}

/** Closes a channel that was not handed out yet. False if the guest has not opened it. */
export function closeChannel(client: Client, id: number): boolean {
  const channel = (client as unknown as Internals)._chanMgr?.get(id);
  if (typeof channel === 'function') return false;
  if (isStream(channel)) channel.close();
  else (channel as Opened | undefined)?.destroy();
  return true;
}

/** Drops the unread and all later output of a channel: it does not close before that was read. */
export function dropOutput(channel: ClientChannel): void {
  for (const output of [channel, channel.stderr]) {
    output.removeAllListeners('data');
    output.resume();
  }
}

/** A file transfer session is none: it reads its answers itself. */
export function isStream(channel: unknown): channel is ClientChannel & Opened {
  return typeof channel === 'object' && channel !== null && 'readableLength' in channel;
}
