import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  'snapshots, forks and builds, killed at any point: whole or gone',
  'the network policy of a computer holds from its first packet',
  'root in a computer reaches nothing outside of it',
  'storage has a quota, and deletion works at it',
  'a build has no more rights than a computer, and keeps no secret',
];

/** A test of a promise and how it ended. */
export interface PromiseTest extends PromiseMark {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

/** One row per promise and engine; a promise without a test has one row, `not run`. */
export function promiseTable(tests: readonly PromiseTest[]): string {
  const rows = TITLES.flatMap((title, index) => {
    const own = tests.filter(({ number }) => number === index + 1);
    const engines = [...new Set(own.map(({ engine }) => engine))].sort();
    return (engines.length === 0 ? [''] : engines).map((engine) => {
      const ran = own
        .filter((test) => test.engine === engine)
        .filter(({ state }) => state === 'passed' || state === 'failed');
      return [`${index + 1}`, title, engine, figuresOf(ran), verdictOf(ran)];
    });
  });
  const header = ['', 'promise', 'engine', 'figures', 'verdict'];
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`).join('');
}

const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ');

function figuresOf(tests: readonly PromiseTest[]): string {
  const figures = tests.map(({ figure }) => figure).filter((figure) => figure !== '');
  const others = tests.length - figures.length;
  return [...figures, ...(others > 0 ? [`tests without a figure: ${others}`] : [])].join('; ');
}

function verdictOf(tests: readonly PromiseTest[]): string {
  if (tests.some(({ state }) => state === 'failed')) return 'BROKEN';
  return tests.length > 0 ? 'kept' : 'not run';
}

/** Replaces a project's section of the record, so that projects can be recorded in separate runs. */
export function writeRecord(path: string, project: string, text: string): void {
  const [head = '', ...sections] = existsSync(path)
    ? readFileSync(path, 'utf8').split(/^(?=## )/m)
    : ['# Record of the thorough tier\n\nWritten by `npm run test:thorough -- --write`.\n\n'];
  const others = sections.filter((section) => !section.startsWith(`## ${project}\n`));
  const all = [...others, `## ${project}\n\n${text}\n\n`].sort();
  writeFileSync(path, `${(head + all.join('')).trimEnd()}\n`);
}
