import { protocolError } from '../errors.js';
import { type ClipboardMessage, parseClipboard } from './clipboard.js';
import { MAX_CLIPBOARD, MAX_SKIP, ServerMessage } from './constants.js';
import type { ByteReader } from './reader.js';
import { readUpdate, type UpdateTarget } from './update.js';

/** Bytes that a byte of deflated data unpacks to at most. */
const MOST_RATIO = 1032;

/** Pixels that take as long as a byte that is unpacked. */
const BYTE_WORK = 8;

/** Handles the server's messages; called synchronously and in order. */
export interface MessageTarget extends UpdateTarget {
  onUpdateStart(): void;
  onUpdateEnd(): void;
  onFence(flags: number, payload: Buffer): void;
  onClipboard(message: ClipboardMessage): void;
}

/** Reads one message of the server (RFB 7.6). */
export async function readMessage(reader: ByteReader, target: MessageTarget): Promise<void> {
  const type = await reader.u8();
  target.charge(0);
  switch (type) {
    case ServerMessage.framebufferUpdate:
      target.onUpdateStart();
      await readUpdate(reader, target);
      target.onUpdateEnd();
      return;
    case ServerMessage.setColourMapEntries:
      await reader.skip(6 * (await reader.read(5)).readUInt16BE(3));
      return;
    case ServerMessage.bell:
    case ServerMessage.endOfContinuousUpdates:
      return;
    case ServerMessage.cutText:
      await readCutText(reader, target);
      return;
    case ServerMessage.fence:
      await readFence(reader, target);
      return;
    default:
      throw protocolError(`sent a message of unknown type ${type}`);
  }
}

async function readFence(reader: ByteReader, target: MessageTarget): Promise<void> {
  const head = await reader.read(8);
  const length = head.readUInt8(7);
  if (length > 64) throw protocolError(`sent a fence with ${length} bytes`);
  const payload = await reader.read(length);
  target.onFence(head.readUInt32BE(3), payload);
}

async function readCutText(reader: ByteReader, target: MessageTarget): Promise<void> {
  const length = (await reader.read(7)).readInt32BE(3);
  const size = Math.abs(length);
  if (size > MAX_SKIP) throw protocolError(`announced a clipboard of ${size} bytes`);
  target.charge(size);
  // Plain cut text is Latin-1 only; the extended message carries the same text in full.
  if (length >= 0 || size > MAX_CLIPBOARD) return reader.skip(size);
  if (size < 4) throw protocolError('sent a clipboard message without flags');
  const body = await reader.read(size);
  // A kilobyte can unpack to a megabyte, so charge for what it may unpack to.
  const unpacked = Math.min(size * MOST_RATIO, MAX_CLIPBOARD);
  target.charge(unpacked);
  await target.chargeCompact(unpacked * BYTE_WORK);
  target.onClipboard(decoded(body));
}

function decoded(body: Buffer): ClipboardMessage {
  try {
    return parseClipboard(body);
  } catch (cause) {
    throw protocolError('sent a clipboard that cannot be unpacked', cause);
  }
}
