import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { ApiError } from '../../contract/errors.js';
import { joinPieces } from '../../lib/streams/join-pieces.js';
import { isStream } from '../channel-close.js';
import { violated as violation } from '../connection-errors.js';
import type { FloodLimit } from './flood-limit.js';
import { SendLimit } from './send-limit.js';
import { unreadShares } from './unread-share.js';
import { limitWindows } from './window-limit.js';

/** Most unread bytes per channel: a server may not send more than its window of 2 MiB. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** The same for all channels; then the guest is read later, which its other channels notice. */
const MOST_UNREAD_IN_ALL = 128 * 1024 * 1024;
/** Received bytes after which both are counted: a pass over all channels takes microseconds. */
const COUNT_EVERY_BYTES = 64 * 1024;
/** How often, in milliseconds, they are counted while there are too many. */
const COUNT_EVERY_MS = 50;
/** Unsent bytes at which the guest is not read any more: what it sends may cause replies. */
const MOST_UNSENT = 4 * 1024 * 1024;
/**
 * Bytes during an exchange of keys, in which ssh2 does not report its packets. It takes a few KiB; the
 * piece that ends it may have others behind it.
 */
const MOST_EXCHANGED = 256 * 1024;
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
 * Bounds what ssh2 leaves to the guest: bytes beyond the window of a channel, memory per byte, data
 * and replies that the guest does not read, requests, new keys, signatures, and the processor time for
 * small packets.
 * Call after `connect`; `fail` closes the connection.
 */
export function limitGuest(
  client: Client,
  stream: Duplex,
  flood: FloodLimit,
  fail: (error: ApiError) => void,
): void {
  const { _chanMgr: channels, _protocol: protocol } = client as unknown as Internals;
  const violated = (what: string) => fail(violation(what));
  const unread = new Set<() => number>();
  const isExchanging = () => protocol?._kexinit !== undefined;
  const sending = new SendLimit(client, stream, isExchanging);
  if (channels !== undefined) {
    const update = channels.update.bind(channels);
    channels.update = (id, channel) => {
      update(id, channel);
      const { outgoing } = channel as Opened;
      if (outgoing !== undefined && outgoing.packetSize < LEAST_PACKET) {
        outgoing.packetSize = LEAST_PACKET;
        violated('it accepts no packets of a usual size');
      }
      if (!isStream(channel)) return;
      watch(channel, unread);
      sending.add(channel);
    };
  }
  limitWindows(client, {
    allowed: (bytes) => flood.allowed(bytes),
    exceeded: () => violated(IGNORED_WINDOW),
  });
  const count = () => {
    if (!flood.chargeRequest()) violated('it sent too many requests');
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
  if (protocol?._onPacket !== undefined) {
    const onPacket = protocol._onPacket;
    protocol._onPacket = () => {
      flood.chargePacket();
      onPacket();
    };
  }
  let exchanged = 0;
  // Before ssh2 reads them.
  stream.prependListener('data', ({ length }: Buffer) => {
    exchanged = isExchanging() ? exchanged + length : 0;
    if (exchanged > MOST_EXCHANGED) violated('it sent too much while it exchanged keys');
  });
  const gate = new Gate(stream);
  const share = unreadShares.enter(() => total(unread));
  let hasEnded = false;
  stream.once('close', () => {
    hasEnded = true;
    share.leave();
  });
  const isMuch = () => !hasEnded && (total(unread) > MOST_UNREAD_IN_ALL || share.isTooMuch());
  let uncounted = 0;
  stream.on('data', ({ length }: Buffer) => {
    const ms = flood.received(length);
    if (ms > 0) gate.close('packets', (open) => setTimeout(open, ms).unref());
    uncounted += length;
    if (uncounted >= COUNT_EVERY_BYTES) {
      uncounted = 0;
      for (const waiting of unread) {
        if (waiting() > MOST_UNREAD) return violated(IGNORED_WINDOW);
      }
      if (isMuch()) gate.close('unread', (open) => whenNot(isMuch, open));
    }
    if (stream.writableLength <= MOST_UNSENT) return;
    gate.close('unsent', (open) => stream.once('drain', open));
  });
}

/** Reads a stream only while there is no reason to pause. */
class Gate {
  readonly #stream: Duplex;
  readonly #reasons = new Set<string>();

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  /** Pauses until `begin` has called its argument. Does nothing while it is closed for the reason. */
  close(reason: string, begin: (open: () => void) => unknown): void {
    if (this.#reasons.has(reason)) return;
    this.#reasons.add(reason);
    this.#stream.pause();
    begin(() => {
      this.#reasons.delete(reason);
      if (this.#reasons.size === 0) this.#stream.resume();
    });
  }
}

function whenNot(isMuch: () => boolean, then: () => void): void {
  const counting = setInterval(() => {
    if (isMuch()) return;
    clearInterval(counting);
    then();
  }, COUNT_EVERY_MS);
  counting.unref();
}

function total(unread: ReadonlySet<() => number>): number {
  let bytes = 0;
  for (const waiting of unread) bytes += waiting();
  return bytes;
}

function watch(channel: ClientChannel, unread: Set<() => number>): void {
  const [output, errors] = [joinPieces(channel), joinPieces(channel.stderr)];
  const waiting = () => output() + errors();
  unread.add(waiting);
  channel.once('close', () => unread.delete(waiting));
}
