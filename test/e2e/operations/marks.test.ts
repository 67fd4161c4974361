// @module-tag slow
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

/** An emulated machine may take minutes to start a program. */
const MS = 200_000;

/** A picture in which an element of this name has a mark. */
async function marked(name: string) {
  const end = performance.now() + MS;
  return eventually(async () => {
    const picture = await desktop.computer.markedScreenshot({ settle: true });
    const mark = picture.marks.find((each) => each.name === name);
    if (mark === undefined && performance.now() > end) {
      throw new Error(`no mark "${name}" among ${picture.marks.map((each) => each.name)}`);
    }
    return mark && { ...picture, mark };
  }, MS);
}

it('a click on a mark of a picture is one on its element, until that has moved or is gone', async () => {
  // A second attempt begins as the first.
  await desktop.run('pkill -x mousepad; printf "a note" >/tmp/note.txt');
  await desktop.run('setsid mousepad /tmp/note.txt >/dev/null 2>&1 &');
  const { image, marks, frame, mark } = await marked('View');
  expect(marks.map((each) => each.mark)).toEqual(marks.map((_, index) => index + 1));
  expect(marks.filter(({ role }) => role === 'frame' || role === 'label')).toEqual([]);

  // The lower edge of its box is drawn in one colour.
  const [x, y, width, height] = mark.box;
  const line = { left: x + 4, top: y + height - 2, width: width - 8, height: 2 };
  const pixels = await sharp(image).extract(line).removeAlpha().raw().toBuffer();
  expect(new Set(pixels.toString('hex').match(/.{6}/g)).size).toBe(1);

  await desktop.computer.clickMark(mark.mark, { frame });
  const hidden = await marked('Line Numbers');
  await desktop.computer.key('Escape');
  await expect(desktop.computer.clickMark(hidden.mark.mark)).rejects.toMatchObject({
    code: 'stale_frame',
    message: expect.stringContaining('"Line Numbers", is gone or hidden. Nothing was clicked.'),
    remedy: expect.stringContaining('--marks'),
  });

  await eventually(async () => {
    await desktop.run('wmctrl -r note.txt -b remove,maximized_vert,maximized_horz');
    await desktop.run('wmctrl -r note.txt -e 0,300,200,500,300');
    const [now] = (await desktop.computer.find({ name: 'View', role: 'menu' })).elements;
    return now !== undefined && now.box[0] !== x;
  }, MS);
  const { results } = await desktop.computer.batch([
    { action: 'click', mark: mark.mark, frame },
    { action: 'key', key: 'Escape' },
  ]);
  expect(results).toEqual([expect.objectContaining({ success: false, code: 'stale_frame' })]);
});

it('wrong input is refused', async () => {
  const { frame, marks } = await desktop.computer.markedScreenshot({ region: region(1) });
  expect(marks).toEqual([]);
  const base = `/computers/${desktop.id}`;
  const click = (body: object) => desktop.service.http('POST', `${base}/click`, body);
  for (const body of [
    ...[{ mark: 0 }, { mark: 201 }, { mark: 1.5 }, { mark: 1, x: 1, y: 1 }, { frame }],
    ...[
      { mark: 1, frame: 'x' },
      { mark: 1, frame: `${frame}\n` },
      { x: 1, y: 1, frame },
    ],
  ]) {
    expect((await click(body)).status, JSON.stringify(body)).toBe(400);
  }
  expect((await click({ mark: 1, frame })).json.error).toContain(`${frame} has no marks`);
  const unknown = await click({ mark: 1, frame: 'frm_000000000000' });
  expect([unknown.status, unknown.json.error]).toEqual([400, expect.stringContaining('unknown')]);
  expect((await desktop.service.http('GET', `${base}/screenshot?marks=2`)).status).toBe(400);
});

const region = (size: number) => ({ x: 0, y: 0, width: size, height: size });
