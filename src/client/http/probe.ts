import { onAbort } from '../../lib/async/abort.js';

/**
 * True if nothing comes back within `ms` milliseconds. Any answer counts, also a refusal for the
 * missing key, which the service sends before it does anything else; a failed connection is left to
 * the request itself.
 */
export async function isSilent(url: URL, ms: number, signal: AbortSignal): Promise<boolean> {
  const { request } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers: { 'user-agent': 'virtual-computers' } });
    const end = (act: () => void) => {
      clearTimeout(timer);
      dispose();
      sent.destroy();
      act();
    };
    const timer = setTimeout(() => end(() => resolve(true)), ms);
    const dispose = onAbort(signal, (reason) => end(() => reject(reason)));
    sent.on('error', () => end(() => resolve(false)));
    sent.once('response', () => end(() => resolve(false)));
    sent.end();
  });
}
