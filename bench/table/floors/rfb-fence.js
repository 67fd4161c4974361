import { once } from 'node:events';
import { connect } from 'node:net';

const SET_ENCODINGS = 2;
const POINTER_EVENT = 5;
const FENCE = 248;
const FENCE_ENCODING = -312;
const REQUEST_BLOCK_BEFORE = 0x80000001;
const FENCE_BYTES = 13;

/**
 * A bare connection to the screen of a container: pointer events and the fence after them, with which
 * the display server says that it has processed them.
 */
export async function openFence({ docker }, container) {
  const { State } = await docker.getContainer(container).inspect();
  const socket = connect(`/proc/${State.Pid}/root/run/vc/rfb.sock`);
  await once(socket, 'connect');
  let unread = Buffer.alloc(0);
  let wake = () => undefined;
  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    wake();
  });
  const read = async (length) => {
    while (unread.length < length) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
    const bytes = unread.subarray(0, length);
    unread = unread.subarray(length);
    return bytes;
  };
  await read(12);
  socket.write('RFB 003.008\n');
  await read((await read(1))[0]);
  socket.write(Buffer.from([1]));
  await read(4);
  socket.write(Buffer.from([1]));
  await read((await read(24)).readUInt32BE(20));
  const encodings = Buffer.from([SET_ENCODINGS, 0, 0, 1, 0, 0, 0, 0]);
  encodings.writeInt32BE(FENCE_ENCODING, 4);
  socket.write(encodings);
  const fence = Buffer.from([FENCE, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 7]);
  fence.writeUInt32BE(REQUEST_BLOCK_BEFORE, 4);
  /** The server says first, with a fence of its own, that it knows fences. */
  const own = await read(9);
  await read(own[8]);
  const point = (x, y, buttons) => Buffer.from([POINTER_EVENT, buttons, x >> 8, x, y >> 8, y]);
  return {
    click: async (x, y) => {
      socket.write(Buffer.concat([point(x, y, 0), point(x, y, 1), point(x, y, 0), fence]));
      const answer = await read(FENCE_BYTES);
      if (answer[0] !== FENCE) throw new Error(`not a fence: ${answer.toString('hex')}`);
    },
    close: () => socket.destroy(),
  };
}
