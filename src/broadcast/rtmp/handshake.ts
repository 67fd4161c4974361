import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';

const VERSION = 3;
const SIZE = 1536;

/**
 * Performs the client's handshake (Adobe RTMP 1.0, 5.2) and returns the bytes after it. Rejects
 * when the server does not speak RTMP or closes the connection. Has no time-out of its own.
 */
export async function shakeHands(socket: Duplex): Promise<Buffer> {
  // Time, then four zero bytes: the plain handshake, without digests.
  const first = Buffer.concat([Buffer.alloc(8), randomBytes(SIZE - 8)]);
  socket.write(Buffer.concat([Buffer.of(VERSION), first]));
  const answer = await collect(socket, 1 + 2 * SIZE);
  if (answer[0] !== VERSION) throw new Error('it does not speak RTMP');
  socket.write(answer.subarray(1, 1 + SIZE));
  return answer.subarray(1 + 2 * SIZE);
}

function collect(socket: Duplex, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes[0] !== VERSION || bytes.length >= length) finish();
    };
    const finish = (error?: Error) => {
      socket.pause();
      socket.off('data', onData).off('error', finish).off('close', onClose);
      if (error === undefined) resolve(bytes);
      else reject(error);
    };
    const onClose = () => finish(new Error('it closed the connection'));
    socket.on('data', onData).once('error', finish).once('close', onClose);
  });
}
