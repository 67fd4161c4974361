/** Pixel rows per line of sixels. */
const BAND = 6;
const CHANNELS = 3;

/**
 * Pixels (red, green, blue; without gaps) as sixel graphics: a fixed palette of 240 colours, 6 red,
 * 8 green, 5 blue, with ordered dithering. Source: DEC STD 070, chapter 9 (VT340 graphics).
 */
export function sixelSequence(pixels: Buffer, width: number, height: number): string {
  const colors = quantized(pixels, width, height);
  const parts = [`\u001bP0;1q"1;1;${width};${height}`, paletteOf(colors)];
  for (let top = 0; top < height; top += BAND) {
    parts.push(band(colors, width, top, Math.min(BAND, height - top)), '-');
  }
  return `${parts.join('')}\u001b\\\n`;
}

const LEVELS = [6, 8, 5] as const;
/** Thresholds of 4x4 ordered dithering, in sixteenths (Bayer). */
const DITHER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

function quantized(pixels: Buffer, width: number, height: number): Uint8Array {
  const colors = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const threshold = ((DITHER[(y & 3) * 4 + (x & 3)] ?? 0) + 0.5) / 16;
      let color = 0;
      for (const [channel, levels] of LEVELS.entries()) {
        const exact = ((pixels[at * CHANNELS + channel] ?? 0) / 255) * (levels - 1);
        color = color * levels + Math.min(levels - 1, Math.floor(exact + threshold));
      }
      colors[at] = color;
    }
  }
  return colors;
}

/** Definitions of the used colours, in percent. */
function paletteOf(colors: Uint8Array): string {
  const percent = (level: number, levels: number) => Math.round((level / (levels - 1)) * 100);
  const [, greens, blues] = LEVELS;
  return [...new Set(colors)]
    .map((color) => {
      const red = percent(Math.floor(color / (greens * blues)), LEVELS[0]);
      const green = percent(Math.floor(color / blues) % greens, greens);
      const blue = percent(color % blues, blues);
      return `#${color};2;${red};${green};${blue}`;
    })
    .join('');
}

/** One band: a line for each colour, drawn over each other (`$` is a carriage return). */
function band(colors: Uint8Array, width: number, top: number, rows: number): string {
  const lines = new Map<number, Uint8Array>();
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < width; x++) {
      const color = colors[(top + row) * width + x] ?? 0;
      let line = lines.get(color);
      if (line === undefined) {
        line = new Uint8Array(width);
        lines.set(color, line);
      }
      line[x] = (line[x] ?? 0) | (1 << row);
    }
  }
  return [...lines].map(([color, line]) => `#${color}${packed(line)}`).join('$');
}

/** Sixels of a line, with runs encoded as `!count`. */
function packed(line: Uint8Array): string {
  let text = '';
  for (let x = 0; x < line.length; ) {
    let run = 1;
    while (x + run < line.length && line[x + run] === line[x]) run += 1;
    const sixel = String.fromCharCode(63 + (line[x] ?? 0));
    text += run > 3 ? `!${run}${sixel}` : sixel.repeat(run);
    x += run;
  }
  return text;
}
