/** Bytes of base64 in one kitty escape sequence; its specification allows 4096. */
const KITTY_CHUNK = 4096;

/** A PNG in kitty's graphics protocol, `columns` wide; q=2 suppresses answers. */
export function kittySequence(png: Buffer, columns: number): string {
  const data = png.toString('base64');
  const chunks: string[] = [];
  for (let at = 0; at === 0 || at < data.length; at += KITTY_CHUNK) {
    const more = at + KITTY_CHUNK < data.length ? 1 : 0;
    const control = at === 0 ? `a=T,f=100,q=2,c=${columns},m=${more}` : `m=${more}`;
    chunks.push(`\u001b_G${control};${data.slice(at, at + KITTY_CHUNK)}\u001b\\`);
  }
  return `${chunks.join('')}\n`;
}

/** An image file as iTerm2's inline image, `columns` wide. */
export function iterm2Sequence(file: Buffer, columns: number): string {
  const options = `inline=1;size=${file.length};width=${columns};preserveAspectRatio=1`;
  return `\u001b]1337;File=${options}:${file.toString('base64')}\u0007\n`;
}
