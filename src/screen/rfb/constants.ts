/** Numbers of the RFB protocol, from "The RFB Protocol" (community wiki, rfbproto). */

/** Encodings and pseudo-encodings, as signed 32-bit numbers. */
export const Encoding = {
  raw: 0,
  copyRect: 1,
  hextile: 5,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  qemuKeyEvent: -258,
  ledState: -261,
  fence: -312,
  cursorWithAlpha: -314,
  extendedMouseButtons: -316,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

/** How the server sends pixels: as they are, or packed into tiles at some cost of CPU time. */
export type PixelEncoding = 'raw' | 'hextile';

/**
 * The announced pseudo-encodings.
 *
 * ExtendedDesktopSize is omitted on purpose: TigerVNC answers a non-incremental request of a
 * client that supports it with a size-only update and drops the request. DesktopSize reports a
 * new size just as well. LedState is needed because TigerVNC otherwise presses Caps Lock whenever
 * a letter's case changes, and leaves it on.
 */
const PSEUDO_ENCODINGS: readonly number[] = [
  Encoding.lastRect,
  Encoding.desktopSize,
  Encoding.cursorWithAlpha,
  Encoding.cursor,
  Encoding.fence,
  Encoding.extendedClipboard,
  Encoding.qemuKeyEvent,
  Encoding.ledState,
  Encoding.extendedMouseButtons,
];

/** All encodings that the client announces, best first. */
export function announced(pixels: PixelEncoding): readonly number[] {
  const packed = pixels === 'raw' ? [] : [Encoding[pixels]];
  return [Encoding.copyRect, ...packed, Encoding.raw, ...PSEUDO_ENCODINGS];
}

export const ServerMessage = {
  framebufferUpdate: 0,
  setColourMapEntries: 1,
  bell: 2,
  cutText: 3,
  endOfContinuousUpdates: 150,
  fence: 248,
} as const;

export const ClientMessage = {
  setPixelFormat: 0,
  setEncodings: 2,
  framebufferUpdateRequest: 3,
  keyEvent: 4,
  pointerEvent: 5,
  cutText: 6,
  fence: 248,
  setDesktopSize: 251,
  qemu: 255,
} as const;

export const FenceFlag = {
  blockBefore: 1 << 0,
  blockAfter: 1 << 1,
  syncNext: 1 << 2,
  request: 2 ** 31,
} as const;

export const ClipboardFlag = {
  text: 1 << 0,
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;

/** Bytes per pixel: red, green, blue and one unused. */
export const PIXEL = 4;

/** Largest accepted screen; a larger one comes from a broken or hostile server. */
export const MAX_WIDTH = 3840;
export const MAX_HEIGHT = 3840;
export const MAX_PIXELS = 3840 * 2160;
/** Largest width and height of the pointer's image, in pixels. */
export const MAX_CURSOR = 512;
/** Largest clipboard message that is read, in bytes; larger ones are skipped. */
export const MAX_CLIPBOARD = 1 << 20;
/** A length above this means that the stream is corrupt. */
export const MAX_SKIP = 64 << 20;
