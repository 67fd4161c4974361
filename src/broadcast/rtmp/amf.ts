/** Values of AMF 0 in RTMP commands. */
export type AmfValue = string | number | boolean | null | { readonly [name: string]: AmfValue };

const Marker = { number: 0, boolean: 1, string: 2, object: 3, null: 5, undefined: 6, map: 8 };
const OBJECT_END = 9;
/** Deepest nesting of objects that is decoded. */
const MAX_DEPTH = 8;

/** Encodes a sequence of values (Adobe AMF 0, 2007). */
export function encodeAmf(...values: readonly AmfValue[]): Buffer {
  return Buffer.concat(values.map(encodeOne));
}

function encodeOne(value: AmfValue): Buffer {
  if (value === null) return Buffer.of(Marker.null);
  if (typeof value === 'boolean') return Buffer.of(Marker.boolean, value ? 1 : 0);
  if (typeof value === 'string') return Buffer.concat([Buffer.of(Marker.string), name(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  const fields = Object.entries(value).flatMap(([key, inner]) => [name(key), encodeOne(inner)]);
  return Buffer.concat([Buffer.of(Marker.object), ...fields, Buffer.of(0, 0, OBJECT_END)]);
}

function name(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Decodes values until the end or the first one of an unsupported type. */
export function decodeAmf(bytes: Buffer): AmfValue[] {
  const reader = new Reader(bytes);
  const values: AmfValue[] = [];
  while (reader.left > 0) {
    const value = reader.value(0);
    if (value === undefined) break;
    values.push(value);
  }
  return values;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  value(depth: number): AmfValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    switch (this.#take(1)[0]) {
      case Marker.number:
        return this.#take(8).readDoubleBE();
      case Marker.boolean:
        return this.#take(1)[0] !== 0;
      case Marker.string:
        return this.#name();
      case Marker.null:
      case Marker.undefined:
        return null;
      case Marker.map:
        this.#take(4);
        return this.#object(depth);
      case Marker.object:
        return this.#object(depth);
      default:
        return undefined;
    }
  }

  #object(depth: number): AmfValue {
    const fields: [string, AmfValue][] = [];
    for (;;) {
      const key = this.#name();
      if (key === '' && this.#bytes[this.#at] === OBJECT_END) break;
      const value = this.value(depth + 1);
      if (value === undefined) return Object.fromEntries(fields);
      fields.push([key, value]);
    }
    this.#at += 1;
    return Object.fromEntries(fields);
  }

  #name(): string {
    return this.#take(this.#take(2).readUInt16BE()).toString();
  }

  #take(length: number): Buffer {
    if (length > this.left) throw new Error('a truncated command');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
