import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { ApiError } from '../../contract/errors.js';
import { joinPieces } from '../../lib/streams/join-pieces.js';
import { isStream } from '../channel-close.js';
import { violated as violation } from '../connection-errors.js';
import type { PacketLimit } from './packet-limit.js';
import { SendLimit } from './send-limit.js';

/** Most unread bytes per channel: a server may not send more than its window of 2 MiB. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** The same for all channels; then the guest is read later, which its other channels notice. */
const MOST_UNREAD_IN_ALL = 128 * 1024 * 1024;
/** Received bytes after which both are counted: a pass over all channels takes microseconds. */
const COUNT_EVERY_BYTES = 64 * 1024;
/** How often, in milliseconds, a guest that is not read is looked at. */
const LOOK_EVERY_MS = 20;
/** Unsent bytes at which the guest is not read any more: what it sends may cause replies. */
const MOST_UNSENT = 4 * 1024 * 1024;
/**
 * Least size of the packets that the guest says it accepts: ssh2 sends as many as that takes at once,
 * and does not end if it is 0. OpenSSH accepts 32 KiB, as RFC 4253, section 6.1, demands.
 */
const LEAST_PACKET = 1024;

const IGNORED_WINDOW = 'it ignored flow control';

/** The parts of ssh2 that have no public interface. */
interface Internals {
  readonly _chanMgr?: { update(id: number, channel: unknown): void };
  readonly _protocol?: {
    readonly _handlers?: Record<string, Handler>;
    /** Set while keys are exchanged. */
    readonly _kexinit?: Buffer;
    _onPacket?(): void;
  };
}

interface Opened {
  readonly outgoing?: { packetSize: number };
}

interface Protocol {
  requestFailure(): void;
}

type Handler = (protocol: Protocol, name: string, wantsReply: boolean) => void;

/**
 * Bounds what ssh2 leaves to the guest: memory for output that nobody has read, also in tiny pieces, and
 * for data and replies that the guest does not read; requests, signatures, and small packets. Call after
 * `connect`; `fail` closes the connection.
 */
export function limitGuest(
  client: Client,
  stream: Duplex,
  limit: PacketLimit,
  fail: (error: ApiError) => void,
): void {
  const internals = client as unknown as Internals;
  const violated = (what: string) => fail(violation(what));
  limitRequests(client, internals, limit, violated);
  const unread = watchChannels(client, stream, internals, violated);
  const unreadBytes = () => [...unread].map((count) => count());
  let unreadInAll = 0;
  const isMuch = () =>
    limit.isExceeded || stream.writableLength > MOST_UNSENT || unreadInAll > MOST_UNREAD_IN_ALL;
  let uncounted = 0;
  let looking: NodeJS.Timeout | undefined;
  stream.on('data', ({ length }: Buffer) => {
    limit.received(length);
    uncounted += length;
    if (uncounted >= COUNT_EVERY_BYTES) {
      uncounted = 0;
      const each = unreadBytes();
      if (Math.max(0, ...each) > MOST_UNREAD) return violated(IGNORED_WINDOW);
      unreadInAll = sum(each);
    }
    if (looking !== undefined || !isMuch()) return;
    stream.pause();
    looking = setInterval(() => {
      unreadInAll = sum(unreadBytes());
      if (!stream.destroyed && isMuch()) return;
      clearInterval(looking);
      looking = undefined;
      stream.resume();
    }, LOOK_EVERY_MS).unref();
  });
}

function limitRequests(
  client: Client,
  { _protocol: protocol }: Internals,
  limit: PacketLimit,
  violated: (what: string) => void,
): void {
  const count = () => {
    if (!limit.chargeRequest()) violated('it sent too many requests');
  };
  client.on('handshake', count);
  const handlers = protocol?._handlers;
  if (handlers !== undefined) {
    const { CHANNEL_OPEN: refuseChannel, USERAUTH_PK_OK: sign } = handlers;
    let hasSigned = false;
    // A signature takes a millisecond. A login needs one: ssh2 asks for one algorithm of the one key.
    handlers.USERAUTH_PK_OK = (...message) => {
      if (hasSigned) return violated('it asked for a second signature');
      hasSigned = true;
      sign?.(...message);
    };
    handlers.CHANNEL_OPEN = (...message) => {
      count();
      refuseChannel?.(...message);
    };
    // None has an effect. ssh2 would ask for a proof of all host keys, and keep them until then.
    handlers.GLOBAL_REQUEST = (answering, _, wantsReply) => {
      count();
      if (wantsReply) answering.requestFailure();
    };
  }
  const onPacket = protocol?._onPacket;
  if (protocol === undefined || onPacket === undefined) return;
  protocol._onPacket = () => {
    limit.chargePacket();
    onPacket();
  };
}

/** Limits what is sent to new channels; returns functions that count the unread bytes of each. */
function watchChannels(
  client: Client,
  stream: Duplex,
  { _chanMgr: channels, _protocol: protocol }: Internals,
  violated: (what: string) => void,
): ReadonlySet<() => number> {
  const unread = new Set<() => number>();
  if (channels === undefined) return unread;
  const sending = new SendLimit(client, stream, () => protocol?._kexinit !== undefined);
  const update = channels.update.bind(channels);
  channels.update = (id, channel) => {
    update(id, channel);
    const { outgoing } = channel as Opened;
    if (outgoing !== undefined && outgoing.packetSize < LEAST_PACKET) {
      outgoing.packetSize = LEAST_PACKET;
      violated('it accepts no packets of a usual size');
    }
    if (!isStream(channel)) return;
    const [output, errors] = [joinPieces(channel), joinPieces(channel.stderr)];
    const count = () => output() + errors();
    unread.add(count);
    channel.once('close', () => unread.delete(count));
    sending.add(channel);
  };
  return unread;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
