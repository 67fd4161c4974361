import type { Writable } from 'node:stream';
import { protocolError } from '../errors.js';
import type { Size } from '../types.js';
import type { ByteReader } from './reader.js';
import { answerChallenge } from './vnc-auth.js';

const NONE = 1;
const VNC = 2;
/** Longest text that is kept of what the server says. */
const MAX_TEXT = 4096;

interface Peer {
  readonly reader: ByteReader;
  readonly stream: Writable;
  readonly password: string | undefined;
}

/**
 * The opening of a session (RFB 7.1 to 7.3): version 3.8, 3.7 or 3.3, security None or VNC
 * Authentication, a shared session. Gives the framebuffer's size, not yet checked.
 */
export async function shakeHands(peer: Peer): Promise<Size> {
  const minor = await agreeVersion(peer);
  const type = minor === 3 ? await givenSecurity(peer) : await chooseSecurity(peer);
  if (type === VNC) await authenticate(peer);
  if (minor >= 8 || type === VNC) await securityResult(peer, minor);
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

async function givenSecurity({ reader, password }: Peer): Promise<number> {
  const type = await reader.u32();
  if (type === 0) throw await refused(reader);
  return usable([type], password);
}

async function chooseSecurity({ reader, stream, password }: Peer): Promise<number> {
  const count = await reader.u8();
  if (count === 0) throw await refused(reader);
  const type = usable([...(await reader.read(count))], password);
  stream.write(Buffer.from([type]));
  return type;
}

function usable(offered: readonly number[], password: string | undefined): number {
  if (offered.includes(NONE)) return NONE;
  if (!offered.includes(VNC)) {
    throw protocolError(`offers only security types that vc does not know (${offered.join(', ')})`);
  }
  if (password === undefined) throw protocolError('asks for a password, and none was given');
  return VNC;
}

async function authenticate({ reader, stream, password }: Peer): Promise<void> {
  stream.write(answerChallenge(await reader.read(16), password ?? ''));
}

async function securityResult({ reader }: Peer, minor: number): Promise<void> {
  if ((await reader.u32()) === 0) return;
  if (minor >= 8) throw await refused(reader);
  throw protocolError('refused the password');
}

async function refused(reader: ByteReader): Promise<Error> {
  const length = await reader.u32();
  const reason = (await reader.read(Math.min(length, MAX_TEXT))).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's text goes into an error message
  const printable = reason.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim();
  return protocolError(`refused the session (${printable.slice(0, 200)})`);
}

/** The desktop's name has no use here; a name without end would be an attack. */
async function skipText(reader: ByteReader, length: number): Promise<void> {
  if (length > MAX_TEXT) throw protocolError(`announced a name of ${length} bytes`);
  await reader.skip(length);
}
