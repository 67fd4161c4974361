import { type ScreenshotOptions, screenshotQuery } from '../../../client/computer/screenshot.js';
import { computerParameters } from '../../../client/http/address.js';
import { IMAGE_FORMATS, MAX_MARKS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { choice, defineCommand, flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { defaultName, outputExtension, writeImage } from '../../input/output-file.js';
import { factor, nonEmpty, number, region } from '../../input/parse.js';
import { done, note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { size } from '../../output/size.js';
import { request } from '../../targets/client.js';
import { computerAddress, describeAddress, inCommands } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';

type Format = (typeof IMAGE_FORMATS)[number];
const formats = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.webp': 'webp' } as const;
const extensions = Object.keys(formats) as (keyof typeof formats)[];

export const command = defineCommand({
  name: 'screenshot',
  summary: 'Take a screenshot',
  details: [
    'Without -o, the image is shown in terminals that support it (kitty, iTerm2, sixel), else written',
    'to a new file in the current directory. With --show, other terminals show it as coloured text.',
    'In a pipe it goes to stdout, and --json prints it in base64. Files are written atomically. With',
    `--marks, elements that can be clicked (at most ${MAX_MARKS}) have numbered boxes, and are listed.`,
  ].join(' '),
  arguments: { computer: optionalRunningComputer },
  options: {
    output: value('-o, --output <file>', 'file to write, or - for stdout', nonEmpty),
    show: flag('--show', 'show it in the terminal, whatever it supports'),
    format: choice('--format <name>', 'image format', IMAGE_FORMATS, {
      otherwise: 'by the file extension, or png',
      also: { jpg: 'jpeg' },
    }),
    region: value('--region <x,y,w,h>', 'part of the screen, in pixels', region),
    scale: value('--scale <factor>', 'scale factor, 0.05 to 1 or 5% to 100%', factor(0.05)),
    quality: value(
      '--quality <n>',
      'quality of jpeg and webp, 1 to 100',
      number({ min: 1, max: 100, unit: 'quality' }),
      { otherwise: '80' },
    ),
    cursor: flag('--cursor', 'include the mouse pointer'),
    settle: flag('--settle', 'wait until the screen is stable, at most 2 s'),
    marks: flag('--marks', 'number what can be clicked, and list it; for vc click --mark'),
  },
  examples: [
    { does: 'Take a screenshot', command: 'vc screenshot demo/desktop -o shot.png' },
    { does: 'Look at it in the terminal', command: 'vc screenshot demo/desktop --show' },
    {
      does: 'Take a small one for a vision model',
      command: 'vc screenshot demo/desktop -o - --format jpeg --scale 0.5 > shot.jpg',
    },
    {
      does: 'Number the buttons, fields and links, for vc click --mark',
      command: 'vc screenshot demo/desktop --marks -o marks.png',
    },
    {
      does: 'Capture only the panel',
      command: 'vc screenshot demo/desktop --region 0,760,1280,40 -o panel.png',
    },
  ],
  async run(context, { computer: given }, options) {
    const { output, format: wanted, show, marks, ...rest } = options;
    if (marks && (show || output === '-')) {
      throw new UsageError(`--marks: not possible with ${show ? '--show' : '-o -'}`, 'use -o FILE');
    }
    if (show) checkShow(context, { output, wanted });
    const format = wanted ?? formatOf(output);
    const request: ScreenshotOptions = {
      ...rest,
      cursor: rest.cursor || undefined,
      settle: rest.settle || undefined,
      format,
    };
    const computer = await namedOrOnly(context, given);
    if (context.globals.json && output === undefined) {
      const query = { ...screenshotQuery(request), ...(marks && { marks: '1' as const }) };
      return void (await printJson(context, await answer(context, computer, query)));
    }
    const address = await computerAddress(context, computer);
    const extension = format === 'jpeg' ? '.jpg' : `.${format}`;
    const path = output ?? defaultName(describeAddress(address), extension, context.now());
    if (marks) {
      const { markedScreenshot } = await import('../../elements/marks.js');
      const query = screenshotQuery(request);
      return void (await markedScreenshot(context, computer, { query, path, format }));
    }
    const client = await context.client();
    const taken = client.requestBytes('screenshot', `image/${format}`, {
      params: computerParameters(address),
      query: screenshotQuery(request),
      signal: context.interrupts.signal,
    });
    const shows = output === undefined && wanted === undefined && !context.globals.json;
    const graphics = shows && !context.globals.quiet ? await graphicsOf(context, show) : undefined;
    const { data } = await during(context.progress(`Taking a screenshot of ${computer}`), taken);
    const { stdout } = context.io;
    if (output === '-' || (output === undefined && !stdout.isTTY && !show)) {
      if (stdout.isTTY)
        throw new UsageError('cannot print an image on this terminal', 'use -o FILE');
      return void (await write(stdout, data));
    }
    if (graphics !== undefined) {
      const { showImage } = await import('../../terminal/graphics/show.js');
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      return void (await showImage(stdout, bytes, graphics));
    }
    await writeImage(context, path, data);
    if (context.globals.json) await printJson(context, { path, format, bytes: data.length });
    else if (context.globals.quiet) await print(context, path);
    else {
      await done(context, `wrote ${path} (${size(data.length)})`);
      if (!stdout.isTTY || output !== undefined || wanted !== undefined) return;
      await note(context, `to see it here: vc screenshot ${inCommands(context, computer)} --show`);
    }
  },
});

/** How to show the image: with the terminal's graphics, or as text if it has to be shown. */
async function graphicsOf({ io, env }: Context, show: boolean) {
  if (!io.stdout.isTTY && !show) return undefined;
  const { detectGraphics } = await import('../../terminal/graphics/detect.js');
  const { textColors } = await import('../../terminal/graphics/protocol.js');
  return (await detectGraphics(io, env)) ?? (show ? textColors(env) : undefined);
}

function checkShow(
  { env, globals }: Context,
  { output, wanted }: { output: string | undefined; wanted: Format | undefined },
): void {
  const other = output !== undefined ? '-o' : wanted !== undefined ? '--format' : undefined;
  const contrary = other ?? (globals.json ? '--json' : globals.quiet ? '--quiet' : undefined);
  if (contrary !== undefined) throw new UsageError(`--show: not possible with ${contrary}`);
  if (env.TERM === 'dumb' || !globals.color) {
    throw new UsageError('--show: there are no colours on this terminal', 'use -o FILE');
  }
}

async function answer(
  context: Context,
  computer: string,
  query: ReturnType<typeof screenshotQuery>,
) {
  const params = computerParameters(await computerAddress(context, computer));
  return request(context, 'screenshot', { params, query });
}

function formatOf(output: string | undefined): Format {
  if (output === undefined || output === '-') return 'png';
  const remedy = 'use .png, .jpg or .webp, or give --format';
  return formats[outputExtension(output, extensions, remedy)];
}
