import { Duplex } from 'node:stream';

const [WIDTH, HEIGHT] = [1280, 800];
/** Sizes in bytes of messages of a fixed length, by type: pixel format, request, key, pointer. */
const FIXED = new Map([
  [0, 20],
  [3, 10],
  [4, 8],
  [5, 6],
]);

/** The server's side of the handshake: what it sends after so many bytes of the client. */
const HANDSHAKE = [
  [12, Buffer.from([1, 1])],
  [1, Buffer.alloc(4)],
  [1, serverInit()],
];

/** A screen that never changes, spoken to over RFB: one colour, in Hextile as a real cluster sends it. */
export class StillScreen extends Duplex {
  #received = Buffer.alloc(0);
  #step = 0;

  constructor() {
    super();
    this.push('RFB 003.008\n');
  }

  _read() {}

  _write(chunk, _encoding, done) {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#take());
    done();
  }

  /** Handles the next message; false if it is not complete. */
  #take() {
    const expected = HANDSHAKE[this.#step];
    const size = expected?.[0] ?? this.#messageSize();
    if (size === undefined || this.#received.length < size) return false;
    const message = this.#received.subarray(0, size);
    this.#received = this.#received.subarray(size);
    if (expected !== undefined) {
      this.#step += 1;
      this.push(expected[1]);
    } else if (message[0] === 3 && message[1] === 0) this.push(update(message.subarray(2)));
    return true;
  }

  #messageSize() {
    const data = this.#received;
    if (data.length < 4) return undefined;
    if (data[0] === 2) return 4 + 4 * data.readUInt16BE(2);
    if (data[0] === 6) return data.length < 8 ? undefined : 8 + data.readUInt32BE(4);
    const size = FIXED.get(data[0]);
    if (size === undefined) throw new Error(`unexpected message ${data[0]}`);
    return size;
  }
}

function serverInit() {
  const init = Buffer.alloc(24);
  init.writeUInt16BE(WIDTH, 0);
  init.writeUInt16BE(HEIGHT, 2);
  return init;
}

/** An update of the requested region: its first tile has a colour, the others the same. */
function update(region) {
  const tiles = Math.ceil(region.readUInt16BE(4) / 16) * Math.ceil(region.readUInt16BE(6) / 16);
  const hextile = Buffer.from([0, 0, 0, 5]);
  const first = Buffer.from([2, 9, 9, 9, 0]);
  return Buffer.concat([ONE_RECTANGLE, region, hextile, first, Buffer.alloc(tiles - 1)]);
}

/** The head of an update with one rectangle. */
const ONE_RECTANGLE = Buffer.from([0, 0, 0, 1]);
