import { socketUrl } from '../../api/addresses.js';

/** The first byte of a message with bytes: where they come from. */
const STDOUT = 1;
/** GNU tar: a file changed while it was read. */
const CHANGED = 1;

/** Reads entries of a directory in a computer as a tar archive, compressed by gzip. */
export function readArchive(
  id: string,
  directory: string,
  names: readonly string[],
): Promise<Blob> {
  const socket = new WebSocket(socketUrl(`/computers/${id}/process`));
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ argv: ['tar', '-czC', directory, '--', ...names] })),
  );
  return new Promise((resolve, reject) => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let said = '';
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') {
        const bytes = new Uint8Array(data as ArrayBuffer);
        if (bytes[0] === STDOUT) parts.push(bytes.subarray(1));
        else said += new TextDecoder().decode(bytes.subarray(1));
        return;
      }
      const { type, code, error } = JSON.parse(data) as {
        type: string;
        code?: number;
        error?: string;
      };
      if (type === 'exit' && (code === 0 || code === CHANGED)) {
        resolve(new Blob(parts, { type: 'application/gzip' }));
      } else if (type === 'exit' || error !== undefined) {
        reject(new Error(error ?? said.trim()));
      }
    });
    socket.addEventListener('close', () => reject(new Error('The connection was lost.')));
  });
}
