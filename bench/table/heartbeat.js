import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const PROGRAM = 'import time\nwhile True:\n  print(flush=True)\n  time.sleep(0.02)';
const STDOUT = 1;
const FIRST_MS = 30_000;

/**
 * Runs a program in a computer that prints every 20 ms, and notes on the clock of this host when its
 * output arrives: the clock of a paused guest may stand still.
 */
export async function openHeartbeat(side, path) {
  const url = new URL(`/api${path}/process`, side.service.url.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, { headers: { authorization: side.authorization } });
  const beats = [];
  let failure;
  socket.on('open', () => socket.send(JSON.stringify({ argv: ['python3', '-c', PROGRAM] })));
  socket.on('message', (data, isBinary) => {
    if (isBinary && data[0] === STDOUT) beats.push(performance.now());
    else failure ??= new Error(`${side.name}: the printing program: ${data}`);
  });
  socket.on('error', (error) => {
    failure ??= error;
  });
  socket.on('close', (code) => {
    failure ??= new Error(`${side.name}: the printing program was disconnected: ${code}`);
  });
  for (const end = Date.now() + FIRST_MS; beats.length === 0; await sleep(50)) {
    if (Date.now() > end) failure ??= new Error(`${side.name}: the program printed nothing`);
    if (failure === undefined) continue;
    socket.terminate();
    throw failure;
  }
  return {
    /** Milliseconds of the longest silence between two times of performance.now(). */
    longest: (from, to) => {
      if (failure) throw failure;
      const gaps = beats.slice(1).map((at, index) => ({ began: beats[index], at }));
      const inside = gaps.filter(({ began, at }) => at >= from && began <= to);
      const last = beats.at(-1);
      // A silence that has not ended.
      if (last < to) inside.push({ began: last, at: performance.now() });
      return Math.max(...inside.map(({ began, at }) => at - began));
    },
    close: () => socket.terminate(),
  };
}
