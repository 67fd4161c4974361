import { intersects, type Point, type Region } from '../geometry.js';
import { PIXEL } from '../rfb/constants.js';

/** A box to draw around something on the screen, with its number. */
export interface NumberedBox {
  readonly number: number;
  readonly box: readonly [x: number, y: number, width: number, height: number];
}

type Color = readonly [red: number, green: number, blue: number];

/** Dark enough for white digits; neighbours differ. */
const COLORS: readonly Color[] = [
  [200, 0, 30],
  [0, 80, 210],
  [0, 115, 50],
  [140, 0, 190],
  [160, 80, 0],
  [190, 0, 120],
];
const WHITE: Color = [255, 255, 255];

/** The digits in 5x7 pixels, a number for each row with the leftmost pixel in its bit 4. */
const DIGITS = [
  [14, 17, 19, 21, 25, 17, 14],
  [4, 12, 4, 4, 4, 4, 14],
  [14, 17, 1, 2, 4, 8, 31],
  [31, 2, 4, 2, 1, 17, 14],
  [2, 6, 10, 18, 31, 2, 2],
  [31, 16, 30, 1, 1, 17, 14],
  [6, 8, 16, 30, 17, 17, 14],
  [31, 1, 2, 4, 8, 8, 8],
  [14, 17, 17, 14, 17, 17, 14],
  [14, 17, 17, 15, 1, 2, 12],
] as const;

/** What a pixel of another label costs, where one of another box costs 1 and one of its own half. */
const HIDDEN_LABEL = 1000;

/**
 * Draws numbered boxes into the pixels of a region: coloured lines with a white edge, and white digits
 * on the same colour, so that they can be read on any content. Digits are 14 pixels high once the
 * picture has been scaled by `scale`.
 */
export function drawMarks(
  pixels: Buffer,
  region: Region,
  marks: readonly NumberedBox[],
  scale: number,
): void {
  const unit = Math.max(1, Math.round(2 / scale));
  const edge = Math.ceil(unit / 2);
  const paint = painter(pixels, region);
  const boxes = marks.map(({ box: [x, y, width, height] }) => ({
    x: x - region.x,
    y: y - region.y,
    width,
    height,
  }));
  for (const [index, box] of boxes.entries()) {
    outline(paint, grown(box, edge, region), edge, WHITE);
    outline(paint, box, unit, colorOf(index));
  }
  const labels: Region[] = [];
  for (const [index, { number }] of marks.entries()) {
    const digits = [...String(number)].map(Number);
    const size = { width: (6 * digits.length + 1) * unit, height: 9 * unit };
    const label = { ...place(index, boxes, labels, { ...region, ...size }, region), ...size };
    labels.push(label);
    paint(grown(label, edge, region), WHITE);
    paint(label, colorOf(index));
    for (const [at, digit] of digits.entries()) {
      for (const [row, bits] of (DIGITS[digit] ?? []).entries()) {
        for (let column = 0; column < 5; column++) {
          if (((bits >> (4 - column)) & 1) === 0) continue;
          const x = label.x + (1 + 6 * at + column) * unit;
          paint({ x, y: label.y + (1 + row) * unit, width: unit, height: unit }, WHITE);
        }
      }
    }
  }
}

type Paint = (part: Region, color: Color) => void;

/** Fills rectangles, as far as they are in the picture. */
function painter(pixels: Buffer, { width, height }: Region): Paint {
  return (part, [red, green, blue]) => {
    const right = Math.min(width, part.x + part.width);
    const bottom = Math.min(height, part.y + part.height);
    for (let y = Math.max(0, part.y); y < bottom; y++) {
      for (let x = Math.max(0, part.x); x < right; x++) {
        const at = (y * width + x) * PIXEL;
        pixels[at] = red;
        pixels[at + 1] = green;
        pixels[at + 2] = blue;
      }
    }
  };
}

function outline(paint: Paint, { x, y, width, height }: Region, line: number, color: Color): void {
  paint({ x, y, width, height: line }, color);
  paint({ x, y: y + height - line, width, height: line }, color);
  paint({ x, y, width: line, height }, color);
  paint({ x: x + width - line, y, width: line, height }, color);
}

/** Larger by `edge` on each side that is not at the edge of the picture. */
function grown({ x, y, width, height }: Region, edge: number, within: Region): Region {
  const [left, top] = [Math.max(0, x - edge), Math.max(0, y - edge)];
  const right = Math.min(within.width, x + width + edge);
  const bottom = Math.min(within.height, y + height + edge);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Where a label hides least: beside, above or below its box, or in a corner of it. */
function place(
  index: number,
  boxes: readonly Region[],
  labels: readonly Region[],
  label: Region,
  within: Region,
): Point {
  const own = boxes[index] ?? label;
  const [right, bottom] = [own.x + own.width, own.y + own.height];
  const places: Point[] = [
    { x: own.x - label.width, y: own.y },
    { x: own.x, y: own.y - label.height },
    { x: right - label.width, y: own.y - label.height },
    { x: right, y: own.y },
    { x: own.x, y: bottom },
    { x: own.x, y: own.y },
    { x: right - label.width, y: own.y },
    { x: own.x, y: bottom - label.height },
    { x: right - label.width, y: bottom - label.height },
  ];
  const others = boxes.filter((box) => !encloses(box, own));
  /** The cost of a place, or a part of it that is `most` or more. */
  const costOf = (at: Point, most: number) => {
    const part = { ...at, width: label.width, height: label.height };
    let cost = Math.floor(shared(own, part) / 2);
    for (const other of labels) {
      if (cost >= most) return cost;
      cost += HIDDEN_LABEL * shared(other, part);
    }
    for (const other of others) {
      if (cost >= most) return cost;
      cost += shared(other, part);
    }
    return cost;
  };
  let [best, least] = [places[0] ?? own, Number.POSITIVE_INFINITY];
  for (const { x, y } of places) {
    const at = {
      x: Math.max(0, Math.min(x, within.width - label.width)),
      y: Math.max(0, Math.min(y, within.height - label.height)),
    };
    const cost = costOf(at, least);
    if (cost < least) [best, least] = [at, cost];
    if (cost === 0) break;
  }
  return best;
}

function encloses(outer: Region, inner: Region): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

/** Pixels that two regions share. */
function shared(a: Region, b: Region): number {
  if (!intersects(a, b)) return 0;
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  return width * (Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
}

function colorOf(index: number): Color {
  return COLORS[index % COLORS.length] ?? WHITE;
}
