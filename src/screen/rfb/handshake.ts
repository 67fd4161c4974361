import type { Writable } from 'node:stream';
import { excerpt } from '../../lib/text/printable.js';
import { protocolError } from '../errors.js';
import type { Size } from '../geometry.js';
import type { ByteReader } from './reader.js';

/** The security type None (RFB 7.2.1). */
const NONE = 1;
/** Longest accepted text of the server, in bytes. */
const MAX_TEXT = 4096;

interface Peer {
  readonly reader: ByteReader;
  readonly stream: Writable;
}

/**
 * Opens a session (RFB 7.1 to 7.3): version 3.8, 3.7 or 3.3, security type None, shared. Resolves
 * to the framebuffer's size, unchecked.
 */
export async function shakeHands(peer: Peer): Promise<Size> {
  const minor = await agreeVersion(peer);
  if (minor === 3) await acceptSecurity(peer);
  else await chooseSecurity(peer);
  if (minor >= 8) await readSecurityResult(peer);
  peer.stream.write(Buffer.from([1]));
  const init = await peer.reader.read(24);
  await skipText(peer.reader, init.readUInt32BE(20));
  return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) };
}

async function agreeVersion({ reader, stream }: Peer): Promise<3 | 7 | 8> {
  const greeting = (await reader.read(12)).toString('latin1');
  const match = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting);
  if (match === null) throw protocolError('does not speak RFB');
  const version = Number(match[1]) * 1000 + Number(match[2]);
  if (version < 3003) throw protocolError(`speaks an unknown RFB version, ${greeting.trim()}`);
  const minor = version >= 3008 ? 8 : version === 3007 ? 7 : 3;
  stream.write(`RFB 003.00${minor}\n`);
  return minor;
}

async function acceptSecurity({ reader }: Peer): Promise<void> {
  const type = await reader.u32();
  if (type === 0) throw await refused(reader);
  requireNone([type]);
}

async function chooseSecurity({ reader, stream }: Peer): Promise<void> {
  const count = await reader.u8();
  if (count === 0) throw await refused(reader);
  requireNone([...(await reader.read(count))]);
  stream.write(Buffer.from([NONE]));
}

function requireNone(offered: readonly number[]): void {
  if (offered.includes(NONE)) return;
  throw protocolError(
    `offers only security types that vc does not support (${offered.join(', ')})`,
  );
}

async function readSecurityResult({ reader }: Peer): Promise<void> {
  if ((await reader.u32()) !== 0) throw await refused(reader);
}

async function refused(reader: ByteReader): Promise<Error> {
  const length = await reader.u32();
  const reason = (await reader.read(Math.min(length, MAX_TEXT))).toString('latin1');
  return protocolError(`refused the session (${excerpt(reason)})`);
}

/** Skips the desktop's name; a huge one would be an attack. */
async function skipText(reader: ByteReader, length: number): Promise<void> {
  if (length > MAX_TEXT) throw protocolError(`announced a name of ${length} bytes`);
  await reader.skip(length);
}
