import { readFileSync, writeFileSync } from 'node:fs';
import type { PromiseMark } from './promise.js';

const TITLES = [
  'a computer reaches nothing of its host',
  'machines run with exactly the documented hardening',
  'without a key: 401, before the body is read',
  "another owner's resources answer 404",
  'no DNS rebinding, no foreign origin',
  'a ticket opens one view, once',
  'hostile names are only names',
  'hostile bodies are refused with bounded memory',
  'streams go to public RTMP targets only',
  'no secret in logs, errors, processes or files',
  'killed at any point: a computer is whole or gone',
  'the engine goes away and comes back',
  'the host reboots',
  'the disk is full',
  'machines changed outside the service',
  'many requests for one computer',
  'random commands agree with a model',
  'endless commands end',
  'a frozen guest delays no other',
  'a hostile guest affects no other',
  '1,000 requests at once',
  'many lifecycles leave nothing behind',
  'slow clients and dead stream targets are dropped',
  'Ctrl-C stops at once',
  'a key goes only to a service of the same user or of root',
  "machines share no user, and no user's limits",
  'no machine runs without its network rules',
  'on a full disk, computers can be stopped and deleted',
  'sockets, parsers and lists are bounded',
  'jumps of the wall clock do no harm',
];

/** A test of a promise and how it ended. */
export interface PromiseTest extends PromiseMark {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

type Row = readonly [
  number: string,
  title: string,
  engine: string,
  figures: string,
  verdict: string,
];

const HEADER: Row = ['', 'promise', 'engine', 'figures', 'verdict'];

/** One row per promise and engine; promises without a test have one row, `not run`. */
export function promiseRows(tests: readonly PromiseTest[]): Row[] {
  return TITLES.flatMap((title, index) => {
    const number = index + 1;
    const own = tests.filter((test) => test.number === number);
    const engines = [...new Set(own.map(({ engine }) => engine))].sort();
    if (engines.length === 0) return [[`${number}`, title, '', '', 'not run'] satisfies Row];
    return engines.map((engine) => {
      const ofEngine = own.filter((test) => test.engine === engine);
      const ran = ofEngine.filter(({ state }) => state === 'passed' || state === 'failed');
      return [`${number}`, title, engine, figuresOf(ran), verdictOf(ran)] satisfies Row;
    });
  });
}

function figuresOf(tests: readonly PromiseTest[]): string {
  const figures = tests.map(({ figure }) => figure).filter((figure) => figure !== '');
  const others = tests.length - figures.length;
  if (others === 0) return figures.join('; ');
  const more = figures.length > 0 ? 'more ' : '';
  return [...figures, `${others} ${more}test${others > 1 ? 's' : ''}`].join('; ');
}

function verdictOf(tests: readonly PromiseTest[]): string {
  if (tests.some(({ state }) => state === 'failed')) return 'BROKEN';
  return tests.length > 0 ? 'kept' : 'not run';
}

export function asText(rows: readonly Row[]): string {
  const widths = HEADER.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function asMarkdown(rows: readonly Row[]): string {
  const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(HEADER), line(HEADER.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Replaces an engine's part of the document, so that engines can be recorded in separate runs. */
export function writeRecord(document: string, engine: string, record: string): void {
  const [begin, end] = [`<!-- promises ${engine}: begin -->`, `<!-- promises ${engine}: end -->`];
  const [before, rest] = readFileSync(document, 'utf8').split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${document} has no ${begin} and ${end}`);
  writeFileSync(document, `${before}${begin}\n${record}\n${end}${after}`);
}
