import type { Region, Size } from '../geometry.js';
import { ClientMessage } from './constants.js';

/** Encoders of the client's messages (RFB 7.5). Each returns the bytes of one message. */

/** Requests bytes in the image encoder's order: red, green, blue, unused. */
export function setPixelFormat(): Buffer {
  const message = Buffer.alloc(20);
  message.writeUInt8(ClientMessage.setPixelFormat, 0);
  message.writeUInt8(32, 4); // bits per pixel
  message.writeUInt8(24, 5); // depth
  message.writeUInt8(0, 6); // little-endian
  message.writeUInt8(1, 7); // true colour
  message.writeUInt16BE(255, 8);
  message.writeUInt16BE(255, 10);
  message.writeUInt16BE(255, 12);
  message.writeUInt8(0, 14); // red shift
  message.writeUInt8(8, 15);
  message.writeUInt8(16, 16);
  return message;
}

export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length);
  message.writeUInt8(ClientMessage.setEncodings, 0);
  message.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries()) {
    message.writeInt32BE(encoding, 4 + 4 * index);
  }
  return message;
}

/** `changes`: only what changed since it was last sent; `whole`: all pixels of the region. */
export function updateRequest(what: 'changes' | 'whole', region: Region): Buffer {
  const message = Buffer.alloc(10);
  message.writeUInt8(ClientMessage.framebufferUpdateRequest, 0);
  message.writeUInt8(what === 'changes' ? 1 : 0, 1);
  message.writeUInt16BE(region.x, 2);
  message.writeUInt16BE(region.y, 4);
  message.writeUInt16BE(region.width, 6);
  message.writeUInt16BE(region.height, 8);
  return message;
}

export function keyEvent(action: 'press' | 'release', keysym: number): Buffer {
  const message = Buffer.alloc(8);
  message.writeUInt8(ClientMessage.keyEvent, 0);
  message.writeUInt8(action === 'press' ? 1 : 0, 1);
  message.writeUInt32BE(keysym, 4);
  return message;
}

/**
 * QEMU Extended Key Event (RFB 7.5.8): a key by its position on the keyboard. `scancode` is of XT
 * set 1, plus 0x80 for one with the prefix `e0`.
 */
export function scancodeEvent(
  action: 'press' | 'release',
  keysym: number,
  scancode: number,
): Buffer {
  const message = Buffer.alloc(12);
  message.writeUInt8(ClientMessage.qemu, 0);
  message.writeUInt8(0, 1);
  message.writeUInt16BE(action === 'press' ? 1 : 0, 2);
  message.writeUInt32BE(keysym, 4);
  message.writeUInt32BE(scancode, 8);
  return message;
}

/** Buttons of a pointer event that every server reads. */
const PLAIN_BUTTONS = 0x7f;

/**
 * `buttons`: bit 0 left, 1 middle, 2 right, 3 to 6 the wheel up, down, left, right, 7 back, 8 forward.
 * With one of the last two it is an extended pointer event, which only a server reads that announced
 * the pseudo-encoding Extended Mouse Buttons: bit 7 marks a further byte of buttons.
 */
export function pointerEvent(x: number, y: number, buttons: number): Buffer {
  const isExtended = buttons > PLAIN_BUTTONS;
  const message = Buffer.alloc(isExtended ? 7 : 6);
  message.writeUInt8(ClientMessage.pointerEvent, 0);
  message.writeUInt8((buttons & PLAIN_BUTTONS) | (isExtended ? 0x80 : 0), 1);
  if (isExtended) message.writeUInt8(buttons >> 7, 6);
  message.writeUInt16BE(x, 2);
  message.writeUInt16BE(y, 4);
  return message;
}

export function fence(flags: number, payload: Buffer): Buffer {
  const message = Buffer.alloc(9 + payload.length);
  message.writeUInt8(ClientMessage.fence, 0);
  message.writeUInt32BE(flags, 4);
  message.writeUInt8(payload.length, 8);
  payload.copy(message, 9);
  return message;
}

/** SetDesktopSize, with one screen. */
export function setDesktopSize({ width, height }: Size): Buffer {
  const message = Buffer.alloc(24);
  message.writeUInt8(ClientMessage.setDesktopSize, 0);
  message.writeUInt16BE(width, 2);
  message.writeUInt16BE(height, 4);
  message.writeUInt8(1, 6);
  // The screen: its id is 0, it begins at 0,0, and it has no flags.
  message.writeUInt16BE(width, 16);
  message.writeUInt16BE(height, 18);
  return message;
}
