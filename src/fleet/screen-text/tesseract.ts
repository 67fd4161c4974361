import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import type { Size } from '../../screen/types.js';

/** One picture takes about a second. */
const MOST_MS = 30_000;
/** Milliseconds that a program waits for its picture: longer than a clock on the screen stands still. */
const SPARE_MS = 90_000;
const MOST_OUTPUT = 8 * 1024 * 1024;
/** Each takes about as much time as the first. */
const MOST_LANGUAGES = 5;
/** Finds scripts, and no letters. */
const NO_LANGUAGE = 'osd';
const FIRST_LANGUAGE = 'eng';
/** The picture is one column of lines. */
const ONE_BLOCK = '6';

/** A word, its box in pixels of the picture. */
export interface Word {
  readonly text: string;
  /** Words of one line have the same. */
  readonly line: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Reads a grey picture, dark text on white. Rejects with ApiError `unsupported` without tesseract. */
export async function recognize(
  picture: Buffer,
  { width, height }: Size,
  signal?: AbortSignal,
): Promise<Word[]> {
  const input = Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), picture]);
  const reader = takeSpare() ?? start(await readingArguments(signal));
  return parseWords(await finish(reader, input, signal));
}

async function readingArguments(signal?: AbortSignal): Promise<readonly string[]> {
  const languages = (await installedLanguages(signal)).join('+');
  const options = ['--psm', ONE_BLOCK, '--dpi', '192', '-c', 'tessedit_do_invert=0'];
  return ['stdin', 'stdout', '-l', languages, ...options, 'tsv'];
}

/** A program that has loaded its languages, which takes longer than to read a line. */
let spare: { readonly reader: Reader; readonly ends: NodeJS.Timeout } | undefined;

/** Starts a program for the next picture, which another one may use. It ends by itself. */
export async function prepare(signal?: AbortSignal): Promise<void> {
  const argv = await readingArguments(signal);
  if (spare !== undefined) {
    spare.ends.refresh();
    return;
  }
  const reader = start(argv);
  const ends = setTimeout(() => reader.kill('SIGKILL'), SPARE_MS).unref();
  const started = { reader, ends };
  spare = started;
  void reader.then(() => {
    if (spare === started) takeSpare();
  });
}

function takeSpare(): Reader | undefined {
  const taken = spare;
  spare = undefined;
  clearTimeout(taken?.ends);
  return taken?.reader;
}

let languages: readonly string[] | undefined;

/** English and others that are installed. Packages may be installed later, so none is not remembered. */
async function installedLanguages(signal?: AbortSignal): Promise<readonly string[]> {
  if (languages !== undefined) return languages;
  const listed = await finish(start(['--list-langs']), Buffer.alloc(0), signal);
  const [, ...names] = listed.trim().split('\n');
  const usable = names.filter((name) => name !== NO_LANGUAGE && /^[a-z]{3}(_\w+)?$/.test(name));
  if (usable.length === 0) throw missing('tesseract on the server has no language.');
  const english = usable.filter((name) => name === FIRST_LANGUAGE);
  const others = usable.filter((name) => name !== FIRST_LANGUAGE);
  languages = [...english, ...others].slice(0, MOST_LANGUAGES);
  return languages;
}

type Reader = ReturnType<typeof start>;

/** Starts tesseract with a low priority on one processor. It waits for its input. */
function start(argv: readonly string[]) {
  return execa('nice', ['-n', '5', 'tesseract', ...argv], {
    reject: false,
    maxBuffer: MOST_OUTPUT,
    env: {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      OMP_THREAD_LIMIT: '1',
      LC_ALL: 'C.UTF-8',
    },
    extendEnv: false,
    cwd: '/',
  });
}

async function finish(reader: Reader, input: Buffer, signal?: AbortSignal): Promise<string> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.kill('SIGKILL');
  }, MOST_MS);
  const dispose = onAbort(signal, () => reader.kill('SIGKILL'));
  // One that has ended reads nothing.
  reader.stdin.on('error', () => undefined);
  reader.stdin.end(input);
  const result = await reader;
  clearTimeout(timer);
  dispose();
  signal?.throwIfAborted();
  if (!result.failed) return result.stdout;
  // `nice` did not find the program.
  if (result.exitCode === 127 || result.exitCode === undefined) {
    if (!isLate) throw missing('tesseract, which reads text, is not installed on the server.');
    throw new ApiError('guest_timeout', 'The text on the screen was not read in time.');
  }
  const cause = new Error(`tesseract ended with ${result.exitCode}: ${result.stderr.slice(-500)}`);
  throw new ApiError('internal', 'tesseract could not read the screen.', { cause });
}

function missing(message: string): ApiError {
  const remedy = 'Run on the server: vc setup, or apt-get install tesseract-ocr';
  return new ApiError('unsupported', message, { remedy });
}

const WORD_LEVEL = '5';

/** The words of tesseract's table: level, page, block, paragraph, line, word, box, confidence, text. */
export function parseWords(table: string): Word[] {
  return table.split('\n').flatMap((row) => {
    const [level, page, block, paragraph, line, , ...rest] = row.split('\t');
    const [left, top, width, height] = rest.slice(0, 4).map(Number);
    const text = rest.slice(5).join(' ').trim();
    if (level !== WORD_LEVEL || text === '' || left === undefined) return [];
    const box = { left, top: top ?? 0, width: width ?? 0, height: height ?? 0 };
    return [{ text, line: [page, block, paragraph, line].join('.'), ...box }];
  });
}
