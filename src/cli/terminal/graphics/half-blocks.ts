const CHANNELS = 3;
/** Levels of the colour cube of 256-colour terminals: colours 16 to 231. */
const CUBE = [0, 95, 135, 175, 215, 255] as const;
/** Greys beside the cube: colours 232 to 255, from 8 in steps of 10. */
const GREYS = 24;

/** Colours that a terminal can show as text. */
export type TextColors = '24-bit' | '256';

/**
 * Pixels (red, green, blue; without gaps) as lines of text, for terminals without graphics: each
 * character `▀` is two pixels, the upper one in its own colour, the lower one in its background.
 */
export function halfBlocks(
  pixels: Buffer,
  width: number,
  height: number,
  colors: TextColors,
): string {
  const colorAt = (x: number, y: number) => {
    const at = (y * width + x) * CHANNELS;
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + CHANNELS);
    return colors === '24-bit' ? `2;${red};${green};${blue}` : `5;${nearest256(red, green, blue)}`;
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += 2) {
    let [line, before] = ['', ''];
    for (let x = 0; x < width; x += 1) {
      const below = y + 1 < height ? `48;${colorAt(x, y + 1)}` : '49';
      const style = `\u001b[38;${colorAt(x, y)};${below}m`;
      line += style === before ? '▀' : `${style}▀`;
      before = style;
    }
    lines.push(`${line}\u001b[0m\n`);
  }
  return lines.join('');
}

/** The number of the nearest colour of the cube or the greys. */
function nearest256(red: number, green: number, blue: number): number {
  const [r, g, b] = [red, green, blue].map(cubeLevel);
  const cube = [r, g, b].map((level) => CUBE[level ?? 0] ?? 0);
  const grey = Math.min(GREYS - 1, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const value = 8 + grey * 10;
  const wanted = [red, green, blue];
  return distance(wanted, [value, value, value]) < distance(wanted, cube)
    ? 232 + grey
    : 16 + 36 * (r ?? 0) + 6 * (g ?? 0) + (b ?? 0);
}

function cubeLevel(value: number): number {
  const gaps = CUBE.map((level) => Math.abs(level - value));
  return gaps.indexOf(Math.min(...gaps));
}

function distance(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + (value - (other[index] ?? 0)) ** 2, 0);
}
