import { randomBytes } from 'node:crypto';
import type { Element, Elements, MarkedElement } from '../../contract/actions/actions.js';
import { MAX_MARKS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type { Region } from '../../screen/types.js';
import { inCommands } from '../errors/remedies.js';
import type { ComputerRecord } from '../store/records.js';

/** Frames that are remembered of a computer. */
const MOST_FRAMES = 8;

/** Roles of what holds others: a click on its middle would hit one of them. */
const HOLDERS: ReadonlySet<string> = new Set(
  [
    'application,desktop frame,dialog,document frame,document presentation,document spreadsheet',
    'document text,document web,filler,frame,grouping,html container,internal frame,layered pane',
    'list,list box,menu bar,page,page tab list,panel,scroll bar,scroll pane,section,separator',
    'split pane,table,tool bar,tree,tree table,viewport,window,image map,landmark,form,popup menu',
  ].flatMap((line) => line.split(',')),
);
/** Actions, in the words of programs, that a click of the mouse does. */
const CLICKS =
  /^(click|press|push|activate|jump|open|toggle|select|check|uncheck|switch|dodefault)$/i;
const USABLE = ['focusable', 'selectable', 'checkable', 'editable'];

function isClickable({ role, states, actions }: Element): boolean {
  if (states.includes('disabled') || HOLDERS.has(role)) return false;
  return actions.some((each) => CLICKS.test(each)) || USABLE.some((each) => states.includes(each));
}

/**
 * Numbers the elements that can be clicked and whose middle is in the region, in the order of reading,
 * up to the limit. Of several with the same box, such as a cell and its row, the first counts.
 */
export function markElements(
  { elements, truncated }: Elements,
  region?: Region,
): Pick<Marked, 'marks' | 'truncated'> {
  const boxes = new Set<string>();
  const found = elements.filter((element) => {
    const box = element.box.join();
    if (!isClickable(element) || boxes.has(box) || !isInside(middleOf(element), region)) {
      return false;
    }
    boxes.add(box);
    return true;
  });
  return {
    marks: found.slice(0, MAX_MARKS).map((element, index) => ({ mark: index + 1, ...element })),
    truncated: truncated || found.length > MAX_MARKS,
  };
}

/** The pixel in the middle of an element. */
export function middleOf({ box: [x, y, width, height] }: Pick<Element, 'box'>) {
  return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) };
}

function isInside({ x, y }: { x: number; y: number }, region: Region | undefined): boolean {
  if (region === undefined) return true;
  const { x: left, y: top, width, height } = region;
  return x >= left && y >= top && x < left + width && y < top + height;
}

/** What a picture with marks shows. */
export interface Marked {
  readonly frame: string;
  readonly marks: MarkedElement[];
  /** There are more than were marked. */
  readonly truncated: boolean;
}

interface Frame extends Pick<Marked, 'frame' | 'marks'> {
  /** The API key that it was shown to. */
  readonly keyId: string | undefined;
}

/** Names a mark of a frame; without `frame` that of the last one that the API key was shown. */
export interface MarkRequest {
  readonly mark: number;
  readonly frame?: string | undefined;
}

/** The last pictures with marks of one computer. */
export class Frames {
  #frames: Frame[] = [];

  add(marked: Omit<Marked, 'frame'>, keyId: string | undefined): Marked {
    const frame = `frm_${randomBytes(6).toString('hex')}`;
    this.#frames.push({ frame, marks: marked.marks, keyId });
    this.#frames = this.#frames.slice(-MOST_FRAMES);
    return { frame, ...marked };
  }

  /** Throws ApiError `stale_frame` for an unknown frame, and `invalid_request` for an unknown mark. */
  element(
    { mark, frame }: MarkRequest,
    keyId: string | undefined,
    record: ComputerRecord,
  ): MarkedElement {
    const found = this.#frames.findLast((each) =>
      frame === undefined ? each.keyId === keyId : each.frame === frame,
    );
    if (found === undefined) {
      throw stale(
        frame === undefined
          ? 'No picture with marks has been taken, or it is too old.'
          : `The frame ${frame} is unknown or too old.`,
        record,
      );
    }
    const element = found.marks[mark - 1];
    if (element !== undefined) return element;
    const marks = found.marks.length === 0 ? 'no marks' : `the marks 1 to ${found.marks.length}`;
    throw new ApiError('invalid_request', `mark: the frame ${found.frame} has ${marks}.`);
  }
}

/** Throws ApiError `stale_frame` unless the element is still where it was, and what it was. */
export function requireSame(
  marked: MarkedElement,
  now: Element | undefined,
  record: ComputerRecord,
): asserts now is Element {
  const { mark, role, name, box } = marked;
  let change: string | undefined;
  if (now === undefined) change = 'is gone or hidden';
  else if (now.role !== role || now.name !== name) change = 'has changed';
  else if (now.box.join() !== box.join()) change = 'has moved';
  if (change === undefined) return;
  const shown = name === '' ? role : `${role} ${JSON.stringify(name)}`;
  throw stale(`The element of mark ${mark}, ${shown}, ${change}. Nothing was clicked.`, record);
}

function stale(message: string, record: ComputerRecord): ApiError {
  return new ApiError('stale_frame', message, {
    remedy: `Take a new picture: vc screenshot ${inCommands(record)} --marks -o FILE`,
  });
}
