import type { screenshotQuery } from '../../client/computer/screenshot.js';
import type { MarkedElement } from '../../contract/types/index.js';
import type { Context } from '../framework/context.js';
import { writeImage } from '../input/output-file.js';
import { done, note, print, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { type Column, printTable } from '../output/table.js';
import { onComputer } from '../targets/computers.js';

const columns: readonly Column<MarkedElement>[] = [
  { header: 'MARK', value: ({ mark }) => String(mark) },
  { header: 'ROLE', value: ({ role }) => role },
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'STATES', value: ({ states }) => states.join(','), spare: 2 },
  { header: 'BOX', value: ({ box }) => box.join(','), spare: 1 },
];

interface Wanted {
  readonly query: ReturnType<typeof screenshotQuery>;
  readonly path: string;
  readonly format: string;
}

/** Writes a picture with numbered boxes to a file, and lists what has the numbers. */
export async function markedScreenshot(
  context: Context,
  computer: string,
  { query, path, format }: Wanted,
): Promise<void> {
  const wanted = { ...query, marks: '1' } as const;
  const asked = onComputer(context, 'screenshot', computer, undefined, wanted);
  const answer = await during(context.progress(`Taking a screenshot of ${computer}`), asked);
  const { image, frame, marks = [], truncated } = answer;
  const data = Buffer.from(image, 'base64');
  await writeImage(context, path, data);
  if (context.globals.json) {
    return printJson(context, { path, format, bytes: data.length, frame, marks, truncated });
  }
  if (context.globals.quiet) return print(context, path);
  if (marks.length > 0) await printTable(context, columns, marks);
  else await note(context, 'no program describes elements that can be clicked');
  if (truncated) await note(context, 'there are more elements than were marked');
  await done(context, `wrote ${path}, the frame ${frame}`);
}
