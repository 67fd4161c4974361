import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promise, type Report } from './run/promise.js';
import { isThorough } from './run/tiers.js';

/** A parser of bytes from a client, a guest or a peer. */
export interface FuzzTarget {
  /** Also the name of its folder in test/fuzz/corpus. */
  readonly name: string;
  /** Parses an input that arrives in `pieces`. May throw any error except a programming error. */
  parse(pieces: readonly Buffer[]): unknown;
  /** Limit of milliseconds of processor time per input, plus {@link MS_PER_KB}. */
  readonly ms?: number;
  /** Limit of MiB that an input may allocate, plus {@link ALLOCATED_PER_BYTE}. */
  readonly mib?: number;
  /** Inputs per change; the thorough tier runs for {@link THOROUGH_MS}. */
  readonly inputs?: number;
}

const CORPUS = fileURLToPath(new URL('../fuzz/corpus/', import.meta.url));
/** Ten minutes for all nineteen parsers together. */
const THOROUGH_MS = 30_000;
const QUICK_INPUTS = 200;
const MS_PER_KB = 20;
const ALLOCATED_PER_BYTE = 2048;
const LONGEST = 64 * 1024;
/** Bytes and words that parsers often get wrong. */
const BYTES = [0, 1, 2, 3, 0x0a, 0x22, 0x5b, 0x7b, 0x7f, 0x80, 0xff];
const WORDS = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff];

/**
 * Tests that a parser accepts or rejects its corpus and mutations of it, in whole and in pieces,
 * within limits of time and memory. An input that fails is added to the corpus.
 */
export function fuzz(target: FuzzTarget): void {
  const limit = isThorough ? THOROUGH_MS + 60_000 : 60_000;
  promise(
    29,
    `${target.name}: any input is parsed or refused`,
    (report) => run(target, report),
    limit,
  );
}

async function run(target: FuzzTarget, report: Report): Promise<void> {
  const directory = `${CORPUS}${target.name}/`;
  const corpus = readdirSync(directory).map((file) => readFileSync(directory + file));
  for (const input of corpus) await parseAll(target, input);
  const seed = isThorough ? Date.now() % 2 ** 32 : 1;
  const random = randomNumbers(seed);
  const end = performance.now() + THOROUGH_MS;
  let inputs = 0;
  const hasMore = () =>
    isThorough ? performance.now() < end : inputs < (target.inputs ?? QUICK_INPUTS);
  for (; hasMore(); inputs++) {
    // Streams do the rest of their work in later turns of the event loop, and are in memory until then.
    if (inputs % 64 === 0) await setImmediate();
    const input = mutated(corpus, random);
    await parseAll(target, input).catch((cause: unknown) => {
      mkdirSync(directory, { recursive: true });
      const file = `failed-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`;
      writeFileSync(directory + file, input);
      throw new Error(`test/fuzz/corpus/${target.name}/${file} fails (seed ${seed})`, { cause });
    });
  }
  report(`${target.name}: ${inputs} inputs`);
}

async function parseAll(target: FuzzTarget, input: Buffer): Promise<void> {
  await measured(target, [input]);
  await measured(target, split(input, 7));
}

/**
 * An input is too slow if it exceeds its limit of processor time three times. Elapsed time would depend
 * on the load of the host, and on its disk for a parser that reads files.
 */
async function measured(target: FuzzTarget, pieces: readonly Buffer[]): Promise<void> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const maxMs = (target.ms ?? 200) + (size / 1000) * MS_PER_KB;
  const maxBytes = (target.mib ?? 16) * 2 ** 20 + size * ALLOCATED_PER_BYTE;
  for (let attempt = 1; ; attempt++) {
    const [begun, before] = [process.cpuUsage(), allocated()];
    try {
      await target.parse(pieces);
    } catch (error) {
      if (isProgrammingError(error)) throw error;
    }
    const { user, system } = process.cpuUsage(begun);
    const [ms, bytes] = [(user + system) / 1000, allocated() - before];
    if (ms <= maxMs && bytes <= maxBytes) return;
    if (attempt < 3) continue;
    throw new Error(
      `${size} bytes take ${Math.round(ms)} ms and ${Math.round(bytes / 2 ** 20)} MiB`,
    );
  }
}

function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || !(error instanceof Error);
}

/** Including garbage. */
function allocated(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function split(input: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < input.length; at += size) pieces.push(input.subarray(at, at + size));
  return pieces;
}

type Random = (below: number) => number;

function mutated(corpus: readonly Buffer[], random: Random): Buffer {
  const pick = () => corpus[random(corpus.length)] ?? Buffer.alloc(0);
  let input: Buffer = Buffer.from(pick());
  for (let left = 1 + random(8); left > 0; left--) input = mutate(input, pick(), random);
  return input.subarray(0, LONGEST);
}

function mutate(input: Buffer, other: Buffer, random: Random): Buffer {
  const at = random(input.length + 1);
  const end = Math.min(input.length, at + 1 + random(64));
  const part = input.subarray(at, end);
  const replaced = (...parts: Buffer[]) =>
    Buffer.concat([input.subarray(0, at), ...parts, input.subarray(end)]);
  const word = Buffer.alloc(4);
  word.writeUInt32BE(WORDS[random(WORDS.length)] ?? 0);
  switch (random(7)) {
    case 0:
      return replaced();
    case 1:
      return replaced(...Array.from({ length: 1 + random(100) }, () => part));
    case 2:
      return replaced(word.subarray(random(4)), part.subarray(4));
    case 3:
      return replaced(Buffer.of(BYTES[random(BYTES.length)] ?? 0), part.subarray(1));
    case 4:
      return replaced(Buffer.of((part[0] ?? 0) ^ (1 << random(8))), part.subarray(1));
    case 5:
      return input.subarray(0, at);
    default:
      return replaced(other.subarray(random(other.length + 1)));
  }
}

/** Mulberry32: the same numbers for the same seed. */
export function randomNumbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
