import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends the same GET on `connections` connections, each with one request at a time, and returns the
 * answers per second. Knows just enough of HTTP: answers of one request have the same length.
 */
export async function getAtOnce(url, { authorization, connections, seconds }) {
  const { hostname, port, pathname } = new URL(url);
  const credentials = authorization ? `authorization: ${authorization}\r\n` : '';
  const request = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${credentials}\r\n`;
  let count = 0;
  let failure;
  const open = () => {
    const socket = connect(Number(port), hostname);
    let head = '';
    let expected = 0;
    let read = 0;
    socket.on('connect', () => socket.write(request));
    socket.on('error', (error) => {
      failure ??= error;
    });
    socket.on('data', (chunk) => {
      if (read === 0 && !chunk.subarray(0, 12).equals(OK)) failure ??= new Error(String(chunk));
      read += chunk.length;
      if (expected === 0) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        expected = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      }
      if (read < expected) return;
      read = 0;
      count += 1;
      socket.write(request);
    });
    return socket;
  };
  const sockets = Array.from({ length: connections }, open);
  await sleep(500);
  const [before, began] = [count, performance.now()];
  await sleep(seconds * 1000);
  const rate = (count - before) / ((performance.now() - began) / 1000);
  for (const socket of sockets) socket.destroy();
  if (failure) throw failure;
  return rate;
}

const OK = Buffer.from('HTTP/1.1 200');
