/**
 * Makes the table of promises of vitest's JSON reports: `node scripts/promises.js REPORT…`. See
 * test/support/promise.ts. With `--write` first, it goes into docs/reliability.md as well.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../docs/reliability.md', import.meta.url);
const [BEGIN, END] = ['<!-- promises: begin -->', '<!-- promises: end -->'];
const COLUMNS = ['', 'promise', 'engine', 'figure', ''];

/** What each promise is about, in a few words. */
const TITLES = [
  'from inside a computer nothing of the host is in reach',
  'machines are hardened exactly so',
  'without a key: 401, before the body is read',
  "another owner's answers as missing",
  'no DNS rebinding, no foreign origin',
  'a ticket opens one view, once',
  'hostile names are only names',
  'hostile bodies are refused in flat memory',
  'streams go to public RTMP targets only',
  'no secret in logs, errors, processes or files',
  'killed at any point: whole or gone',
  'the engine goes away and comes back',
  'the host reboots',
  'the disk is full',
  "changed behind the service's back",
  'many at once',
  'random commands agree with a model',
  'endless commands end',
  'a frozen guest delays nobody',
  'a hostile guest harms nobody',
  '1,000 requests at once',
  'nothing is left behind by many lifecycles',
  'slow clients and dead sinks are dropped',
  'Ctrl-C stops at once',
];

/** Every test that keeps a promise, of all reports. */
function marked(paths) {
  return paths
    .flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).testResults)
    .flatMap((file) => file.assertionResults)
    .filter(({ meta }) => meta?.promise !== undefined)
    .map(({ status, meta }) => ({ status, ...meta.promise }));
}

/** One row a promise and engine; one without an engine for a promise that nothing was run of. */
function rowsOf(tests) {
  return TITLES.flatMap((title, index) => {
    const number = index + 1;
    const mine = tests.filter((test) => test.number === number);
    const engines = [...new Set(mine.map(({ engine }) => engine))].sort();
    if (engines.length === 0) return [[number, title, '', '', 'not run']];
    return engines.map((engine) => {
      const those = mine.filter((test) => test.engine === engine);
      const ran = those.filter(({ status }) => status === 'passed' || status === 'failed');
      return [number, title, engine, figureOf(ran), verdictOf(ran)];
    });
  });
}

function figureOf(tests) {
  const said = tests.map(({ figure }) => figure).filter((figure) => figure !== '');
  const silent = tests.length - said.length;
  if (silent > 0)
    said.push(`${silent} ${said.length > 0 ? 'more ' : ''}test${silent > 1 ? 's' : ''}`);
  return said.join('; ');
}

function verdictOf(tests) {
  if (tests.some(({ status }) => status === 'failed')) return 'BROKEN';
  return tests.length > 0 ? 'kept' : 'not run';
}

function asMarkdown(rows) {
  const escaped = (cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(COLUMNS), line(COLUMNS.map(() => '---')), ...rows.map(line)].join('\n');
}

function asText(rows) {
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  const line = (row) =>
    row
      .map((cell, i) => String(cell).padEnd(widths[i]))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

function write(table) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${DOCUMENT.pathname} has no ${BEGIN} and ${END}`);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n${table}\n${END}${after}`);
}

const given = process.argv.slice(2);
const rows = rowsOf(marked(given.filter((word) => word !== '--write')));
process.stdout.write(`${asText(rows)}\n`);
if (given.includes('--write')) write(asMarkdown(rows));
