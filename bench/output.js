/**
 * Compares what each command writes to standard output with what was sent: every byte, into `cat` and
 * into a reader that sleeps first. Requires a built `dist`, a running service of the current profile
 * (or of VC_BASE_URL and VC_API_KEY), and a running computer that may be written to:
 *
 *   npm run build && node bench/output.js COMPUTER [--runs 50] [--load] [--least BYTES]
 *                                [--most BYTES] [--only NAME]
 *
 * `--load` keeps all processors busy. Ends with code 1 if a byte is missing or wrong.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const VC = fileURLToPath(new URL('../bin/vc.js', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '50' },
    load: { type: 'boolean', default: false },
    least: { type: 'string', default: '0' },
    most: { type: 'string', default: '100000000' },
    only: { type: 'string' },
  },
});
const [computer] = positionals;
if (computer === undefined)
  throw new Error('usage: node bench/output.js COMPUTER [--runs N] [--load]');

const SIZES = [66_000, 70_000, 131_072, 1_000_000, 100_000_000];
const READERS = { cat: 'cat', late: '{ sleep 0.3; cat; }' };
/** Kept of a job's output. */
const MOST_OF_A_JOB = 16 * 1024 * 1024;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Runs `vc WORDS` into a reader, as a shell does; resolves to its exit code and what has arrived. */
function run(words, { reader = 'cat', input = '' } = {}) {
  const script = `"$@" | ${reader}; exit "\${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, VC, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined).end(input);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, bytes: Buffer.concat(chunks) })),
  );
}

/** Each command that prints bytes of its computer's choosing: its words for a file, and its stdin. */
const commands = {
  cp: (file) => [['cp', `${computer}:${file}`, '-']],
  exec: (file) => [['exec', computer, 'cat', file]],
  bash: (file) => [['bash', computer, `cat ${file}`]],
  python: (file) => [
    [
      'python',
      computer,
      '-c',
      `import shutil,sys; shutil.copyfileobj(open('${file}','rb'), sys.stdout.buffer)`,
    ],
  ],
  shell: (file) => [['shell', computer], `cat ${file}\n`],
  api: (file) => [['api', `/computers/${id}/files?path=${file}`]],
  logs: (_, job) => [['job', 'logs', computer, job]],
};

/** Outputs whose bytes differ each time, and how to tell that one is complete. */
const pictures = {
  screenshot: [['screenshot', computer, '-o', '-'], endOfPng],
  record: [['record', computer, '-o', '-', '--for', '2s', '--fps', '60'], endOfMp4],
};

/** True if chunks up to IEND fill the bytes. */
function endOfPng(bytes) {
  let at = 8;
  for (let type = ''; at + 12 <= bytes.length && type !== 'IEND'; ) {
    type = bytes.toString('latin1', at + 4, at + 8);
    at += 12 + bytes.readUInt32BE(at);
  }
  return bytes.length > 8 && at === bytes.length;
}

/** True if boxes fill the bytes. */
function endOfMp4(bytes) {
  let at = 0;
  while (at + 8 <= bytes.length) at += Math.max(8, bytes.readUInt32BE(at));
  return bytes.length > 0 && at === bytes.length;
}

const { code, bytes } = await run(['get', computer, '--json']);
if (code !== 0) process.exit(1);
const { id } = JSON.parse(bytes);

const load = Array.from({ length: values.load ? availableParallelism() : 0 }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const runs = Number(values.runs);
let failures = 0;
try {
  const [least, most] = [Number(values.least), Number(values.most)];
  for (const size of SIZES.filter((one) => one >= least && one <= most)) {
    const file = `output-${size}`;
    const make = `head -c ${Math.ceil(size * 0.75)} /dev/urandom | base64 -w0 | head -c ${size} > ${file}; sha256sum < ${file}`;
    const expected = (await run(['bash', computer, make])).bytes.toString().slice(0, 64);
    const started = await run(['bash', computer, '--background', `cat ${file}`, '-q']);
    const job = started.bytes.toString().trim();
    await run(['job', 'logs', computer, job, '-f']);
    for (const [name, wordsOf] of Object.entries(commands)) {
      if (name === 'logs' && size > MOST_OF_A_JOB) continue;
      const [words, input] = wordsOf(file, job);
      await compare(
        name,
        size,
        () => words,
        input,
        (got) => sha256(got) === expected,
      );
    }
    await run(['bash', computer, `rm ${file}`]);
  }
  for (const [name, [words, isWhole]] of Object.entries(pictures)) {
    await compare(name, undefined, () => words, undefined, isWhole);
  }
} finally {
  for (const child of load) child.kill();
}
if (failures > 0) process.exitCode = 1;

async function compare(name, size, words, input, isRight) {
  if (values.only !== undefined && values.only !== name) return;
  for (const [title, reader] of Object.entries(READERS)) {
    let wrong = 0;
    for (let i = 0; i < runs; i += 1) {
      const got = await run(words(), { reader, input });
      if (got.code === 0 && isRight(got.bytes)) continue;
      wrong += 1;
      console.error(
        `${name}, ${title}: exit code ${got.code}, ${got.bytes.length} of ${size ?? 'all'} bytes`,
      );
    }
    failures += wrong;
    const what = size === undefined ? name : `${name} ${size}`;
    console.log(
      `${what} into ${title}${values.load ? ', beside a load' : ''}: ${runs - wrong} of ${runs} right`,
    );
  }
}
