import { expect, it } from 'vitest';
import type { Element } from '../../../src/contract/actions/actions.js';
import { Frames, markElements, requireSame } from '../../../src/fleet/elements/marks.js';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';

const record = { name: 'desk', project_name: 'demo' } as ComputerRecord;

function element(fields: Partial<Element> = {}): Element {
  const box: Element['box'] = [10, 20, 30, 40];
  return {
    id: '00000000-1.2-3',
    role: 'button',
    name: 'OK',
    states: [],
    actions: ['click'],
    box,
    ...fields,
  };
}

const mark = (...elements: Element[]) => markElements({ elements, truncated: false }).marks;

it.each<[Partial<Element>, boolean]>([
  [{}, true],
  [{ states: ['disabled'] }, false],
  [{ role: 'label', actions: [] }, false],
  [{ role: 'static', actions: ['showContextMenu', 'clickAncestor'] }, false],
  [{ role: 'entry', actions: [], states: ['editable'] }, true],
  [{ role: 'link', actions: ['jump'] }, true],
  [{ role: 'list item', actions: [], states: ['selectable'] }, true],
  [{ role: 'list', states: ['focusable'] }, false],
  [{ role: 'document web', states: ['focusable'] }, false],
])('%j can be clicked: %s', (fields, isClickable) => {
  expect(mark(element(fields))).toHaveLength(isClickable ? 1 : 0);
});

it('marks one of several elements with the same box, and those whose middle is in the region', () => {
  const other = element({ id: '00000000-1.2-4', box: [0, 0, 10, 10] });
  expect(mark(element(), element({ name: 'again' }), other)).toEqual([
    { mark: 1, ...element() },
    { mark: 2, ...other },
  ]);
  const region = { x: 25, y: 40, width: 1, height: 1 };
  const { marks } = markElements({ elements: [other, element()], truncated: true }, region);
  expect(marks).toEqual([{ mark: 1, ...element() }]);
});

it('marks the first 200 of 10,000, and says that there are more', () => {
  const elements = Array.from({ length: 10_000 }, (_, x) => element({ box: [x, 0, 1, 1] }));
  const { marks, truncated } = markElements({ elements, truncated: false });
  expect([marks.length, marks.at(-1)?.box[0], truncated]).toEqual([200, 199, true]);
});

const shown = (name: string) => ({ marks: mark(element({ name })), truncated: false });

it('a mark without a frame is one of the last picture of the same key', () => {
  const frames = new Frames();
  const { frame } = frames.add(shown('first'), 'key_1');
  frames.add(shown('second'), 'key_1');
  frames.add(shown('of another'), 'key_2');
  expect(frames.element({ mark: 1 }, 'key_1', record).name).toBe('second');
  expect(frames.element({ mark: 1, frame }, 'key_2', record).name).toBe('first');
  expect(() => frames.element({ mark: 2, frame }, 'key_1', record)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('1 to 1'),
    }),
  );
  expect(() => frames.element({ mark: 1 }, 'key_3', record)).toThrow(
    expect.objectContaining({
      code: 'stale_frame',
      message: expect.stringContaining('No picture'),
    }),
  );
});

it('eight pictures of a computer are remembered', () => {
  const frames = new Frames();
  const all = Array.from({ length: 9 }, () => frames.add(shown('a'), 'key_1').frame);
  expect(() => frames.element({ mark: 1, frame: all[0] }, 'key_1', record)).toThrow(
    expect.objectContaining({
      code: 'stale_frame',
      remedy: expect.stringContaining('vc screenshot demo/desk --marks'),
    }),
  );
  expect(frames.element({ mark: 1, frame: all[1] }, 'key_1', record).name).toBe('a');
});

it.each<[string, Element | undefined]>([
  ['is gone or hidden', undefined],
  ['has changed', element({ name: 'Cancel' })],
  ['has changed', element({ role: 'link' })],
  ['has moved', element({ box: [10, 21, 30, 40] })],
])('an element that %s is refused', (change, now) => {
  expect(() => requireSame({ mark: 7, ...element() }, now, record)).toThrow(
    expect.objectContaining({
      code: 'stale_frame',
      message: `The element of mark 7, button "OK", ${change}. Nothing was clicked.`,
    }),
  );
  requireSame({ mark: 7, ...element() }, element({ states: ['focused'] }), record);
});
