import type { Duplex } from 'node:stream';

/** Half-closes `stream`, so that what was just written still arrives; destroys it after `ms`. */
export function endWithin(stream: Duplex, ms: number): void {
  const timer = setTimeout(() => stream.destroy(), ms);
  timer.unref();
  stream.once('close', () => clearTimeout(timer));
  stream.end(() => stream.destroy());
}
