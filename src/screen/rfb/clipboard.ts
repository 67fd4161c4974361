import { constants, deflateSync, inflateSync } from 'node:zlib';
import { ClientMessage, ClipboardFlag, MAX_CLIPBOARD } from './constants.js';

/**
 * The Extended Clipboard pseudo-encoding (community wiki, rfbproto): cut text messages with a
 * negative length, which carry flags and, with `provide`, compressed UTF-8.
 */
export type ClipboardMessage =
  | { readonly kind: 'caps'; readonly flags: number }
  /** The guest wants the text that the client announced. */
  | { readonly kind: 'request' }
  /** The guest has a text, or has none any more. */
  | { readonly kind: 'notify'; readonly available: boolean }
  | { readonly kind: 'provide'; readonly text: string }
  | { readonly kind: 'other' };

/** Decodes the flags and what follows them. Throws when they contradict the specification. */
export function parseClipboard(body: Buffer): ClipboardMessage {
  const flags = body.readUInt32BE(0);
  if (flags & ClipboardFlag.caps) return { kind: 'caps', flags };
  if (flags & ClipboardFlag.request) return { kind: 'request' };
  if (flags & ClipboardFlag.notify) {
    return { kind: 'notify', available: (flags & ClipboardFlag.text) !== 0 };
  }
  if (flags & ClipboardFlag.provide && flags & ClipboardFlag.text) {
    return { kind: 'provide', text: unpack(body.subarray(4)) };
  }
  return { kind: 'other' };
}

function unpack(packed: Buffer): string {
  const data = inflateSync(packed, {
    // TigerVNC flushes its stream without ending it.
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: MAX_CLIPBOARD,
  });
  const text = data.subarray(4, 4 + data.readUInt32BE(0)).toString('utf8');
  const [beforeNul = ''] = text.split('\0', 1);
  return beforeNul.replaceAll('\r\n', '\n');
}

/** What the client can do: announce, ask and provide plain text, none of it unasked. */
export function clipboardCaps(): Buffer {
  const { caps, request, notify, provide, text } = ClipboardFlag;
  const sizes = Buffer.alloc(4); // text of up to 0 bytes may be sent without a request
  return message(caps | request | notify | provide | text, sizes);
}

/** The client has a text, and gives it when asked. */
export function clipboardNotify(): Buffer {
  return message(ClipboardFlag.notify | ClipboardFlag.text, Buffer.alloc(0));
}

/** The client's text has gone. */
export function clipboardForget(): Buffer {
  return message(ClipboardFlag.notify, Buffer.alloc(0));
}

/** Asks for the guest's text. */
export function clipboardRequest(): Buffer {
  return message(ClipboardFlag.request | ClipboardFlag.text, Buffer.alloc(0));
}

export function clipboardProvide(text: string): Buffer {
  const bytes = Buffer.from(`${text.replace(/\r?\n/g, '\r\n')}\0`, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return message(
    ClipboardFlag.provide | ClipboardFlag.text,
    deflateSync(Buffer.concat([length, bytes])),
  );
}

function message(flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(ClientMessage.cutText, 0);
  head.writeInt32BE(-(4 + payload.length), 4);
  head.writeUInt32BE(flags >>> 0, 8);
  return Buffer.concat([head, payload]);
}
