import { extname } from 'node:path';
import { computerParameters } from '../../../client/address.js';
import { type ScreenshotOptions, screenshotQuery } from '../../../client/screenshot.js';
import { computerAddress, describeAddress } from '../../address.js';
import { runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { choice, defineCommand, flag, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { fileTimestamp, writeFileWhole } from '../../files.js';
import { write } from '../../io.js';
import { done, print, printJson } from '../../output.js';
import { nonEmpty, number, region } from '../../parse.js';
import { during } from '../../progress.js';
import { size } from '../../size.js';

const formats = ['png', 'jpeg', 'webp'] as const;
type Format = (typeof formats)[number];
const byExtension: Readonly<Record<string, Format>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

export const command = defineCommand({
  name: 'screenshot',
  summary: 'Take a picture of the screen',
  details: [
    'Without -o: shown in a terminal that can show pictures (kitty, iTerm2, sixel), to a new file in',
    "this directory on another one, to stdout in a pipe, and with --json the service's answer with the",
    'picture in base64. A file appears whole or not at all.',
  ].join(' '),
  arguments: { computer: runningComputer },
  options: {
    output: value('-o, --output <file>', 'where to put it; - is stdout', nonEmpty),
    format: choice('--format <name>', 'format of the picture', formats, {
      otherwise: "by the file's ending, or png",
    }),
    region: value('--region <x,y,w,h>', 'a part of the screen, in pixels', region),
    scale: value(
      '--scale <factor>',
      'make it smaller: 0.05 to 1',
      number({ min: 0.05, max: 1, unit: 'factor', step: 'any' }),
    ),
    quality: value(
      '--quality <n>',
      'of jpeg and webp: 1 to 100',
      number({ min: 1, max: 100, unit: 'quality' }),
      { otherwise: '80' },
    ),
    cursor: flag('--cursor', 'draw the mouse pointer in'),
    settle: flag('--settle', 'wait until the screen has come to rest, at most 2 s'),
  },
  examples: [
    { does: 'Take a picture', command: 'vc computer screenshot demo/desktop -o shot.png' },
    {
      does: 'A small one for a model to look at',
      command: 'vc computer screenshot demo/desktop -o - --format jpeg --scale 0.5 > shot.jpg',
    },
    {
      does: 'The panel alone',
      command: 'vc computer screenshot demo/desktop --region 0,760,1280,40 -o panel.png',
    },
  ],
  async run(context, { computer }, options) {
    const { output, format: wanted, ...rest } = options;
    const format = wanted ?? formatOf(output);
    const picture: ScreenshotOptions = {
      ...rest,
      cursor: rest.cursor || undefined,
      settle: rest.settle || undefined,
      format,
    };
    if (context.globals.json && output === undefined) {
      const query = screenshotQuery(picture);
      return void (await printJson(context, await answer(context, computer, query)));
    }
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const taken = client.requestBytes('screenshot', `image/${format}`, {
      params: computerParameters(address),
      query: screenshotQuery(picture),
      signal: context.interrupts.signal,
    });
    const shows = output === undefined && wanted === undefined && !context.globals.json;
    const graphics = shows && !context.globals.quiet ? await graphicsOf(context) : undefined;
    const { data } = await during(context.progress(`Looking at ${computer}`), taken);
    const { stdout } = context.io;
    if (output === '-' || (output === undefined && !stdout.isTTY)) {
      if (stdout.isTTY) throw new UsageError('a picture would garble the terminal', 'use -o FILE');
      return void (await write(stdout, data));
    }
    if (graphics !== undefined) {
      const { showPicture } = await import('../../graphics/show.js');
      return void (await showPicture(stdout, data, graphics));
    }
    const path = output ?? defaultName(describeAddress(address), format, context.now());
    await writeFileWhole(context.cwd, path, data);
    if (context.globals.json) await printJson(context, { path, format, bytes: data.length });
    else if (context.globals.quiet) await print(context, path);
    else await done(context, `wrote ${path} (${size(data.length)})`);
    return undefined;
  },
});

async function graphicsOf({ io, env }: Context) {
  if (!io.stdout.isTTY) return undefined;
  const { detectGraphics } = await import('../../graphics/detect.js');
  return detectGraphics(io, env);
}

async function answer(
  context: Context,
  computer: string,
  query: ReturnType<typeof screenshotQuery>,
) {
  const params = computerParameters(await computerAddress(context, computer));
  const client = await context.client();
  const { signal } = context.interrupts;
  return client.request('screenshot', { params, query, signal });
}

function formatOf(output: string | undefined): Format {
  if (output === undefined || output === '-') return 'png';
  const extension = extname(output).toLowerCase();
  const format = byExtension[extension];
  if (format !== undefined) return format;
  const what = extension === '' ? 'no ending' : `the ending ${extension}`;
  throw new UsageError(
    `--output: ${output} has ${what}`,
    'use .png, .jpg or .webp, or give --format',
  );
}

/** `demo-desktop-20250102-030405.png`: letters that every file system takes. */
function defaultName(name: string, format: Format, now: Date): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+/, '') || 'computer';
  return `${[...safe].slice(0, 60).join('')}-${fileTimestamp(now)}.${format === 'jpeg' ? 'jpg' : format}`;
}
