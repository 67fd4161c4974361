import { connect } from 'node:net';
import { responseTo } from '../../../src/cli/vnc/authentication.js';
import { ByteReader } from '../../../src/screen/rfb/reader.js';

/** Connects as a native VNC client does, and gives the password. */
export async function connectVnc(port: number, password: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const reader = new ByteReader(socket);
  const version = (await reader.read(12)).toString('latin1');
  socket.write('RFB 003.008\n');
  const types = [...(await reader.read(await reader.u8()))];
  socket.write(Buffer.from([2]));
  socket.write(responseTo(await reader.read(16), password));
  const result = await reader.u32();
  const reason = result === 0 ? '' : (await reader.read(await reader.u32())).toString();
  return { socket, reader, version, types, result, reason };
}
