import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackedFiles } from './sources.js';

/** What was written once in place of the word behind it: names in the code and in texts. */
const NAMES: Readonly<Record<string, string>> = {
  'deeds?|ledger': 'audit log',
  inbox: 'message buffer',
  pulse: 'heartbeat',
  pace: 'stall detector',
  'rehears(e|es|ed|al|ing)': 'warm-up',
  'key-?end(s|ed|ing)?': 'key revocation',
  'admissions?': 'throttle, quota',
  'gestures?': 'input actions',
  'strangers?': 'orphans, or what they are',
  sealer: 'secret box',
  'films?': 'video, recording',
  switchover: 'migration',
  'hand-?over': 'claim',
  powerOn: 'start, boot, resume',
  'answered\\.ts|each\\.ts|brief\\.ts|words\\.ts|behind\\.ts': 'a name of what is in it',
};

/** Phrases that are no plain technical English, and what to write. */
const PHRASES: Readonly<Record<string, string>> = {
  'for want of': 'no … yet',
  "(nobody's|no one's) business": 'ignore',
  'however they went': 'ignore their exit codes',
  "(is|are) no computer's": 'orphans',
  'of no use': 'throwaway, unused',
  'takes? a key its power': 'revokes a key',
  somebody: 'the user, another client, someone',
  'that than': 'precedence: A > B',
  'a backup the state': 'restore … from a backup',
  '(what|that) mends|mends? it': 'how to fix it',
  'goes on|go on': 'continues, keeps running',
  'how much is done': 'the name of the figures',
  '(is|are|be) told': 'is returned, shown, distinguished',
  'whoever|whosoever': 'name the subject: the operator, a client',
  'what waits': 'queued requests',
  'whom what|is attributed to': 'the key that entries are charged to',
  'copy on its way|whose next (picture|screenshot)': 'name the thing first',
  'other than a \\w+ that': 'unlike',
  'whether it is an?': 'true for …',
  'leave turns': 'accept, let others run',
  'on loopback, both': 'loopback: IPv4 and IPv6',
  'it is not asked': 'the prompt is skipped',
  'shall(?! be included| THE)': 'must, has to',
  'for ever': 'without an end',
  hence: 'therefore',
  'lest|wherein|whereof|thereof|thither|hither|yonder|amiss|betimes': 'an everyday word',
};

/** Files, by their paths, in which a word means something else. */
const MEANT: readonly (readonly [word: string, path: RegExp, why: string])[] = [
  ['switchover', /^src\/engines\/qemu\/snapshots\/live-migration\.ts$/, "QEMU's own name"],
  ['strangers', /^src\/fleet\/store\//, 'the name of a table in databases that exist'],
  ['film', /^src\/cli\/framework\/suggestions\/synonyms\.ts$/, 'what users type'],
  ['poweron', /^src\/cli\/framework\/suggestions\/synonyms\.ts$/, 'what users type'],
  ['pulse', /^images\//, 'the path at which programs look for PulseAudio'],
  ['what waits', /^src\/server\/websocket\/pour\.ts$/, 'bytes that wait, which are counted'],
];

/** Sources, texts and generated pages. The tests' own words are left to their authors. */
const FOLDERS = [
  ...['bench', 'bin', 'clients', 'completions', 'docs', 'examples', 'images', 'man', 'scripts'],
  ...['src', '*.md'],
];
const TEXT = /\.(ts|tsx|js|mjs|py|sh|md|1|css|html|json|yaml|toml|service)$|\/[^.]+$/;

const rules = Object.entries({ ...NAMES, ...PHRASES }).map(([word, instead]) => ({
  pattern: new RegExp(`(?<![\\w$-])(?:${word})(?![\\w-])`, 'gi'),
  instead,
}));

test('sources, documents and help use the words that the field uses', () => {
  const files = FOLDERS.flatMap(trackedFiles).filter((path) => TEXT.test(path));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) => mistakesIn(path, readFileSync(path, 'utf8')));
  expect(found).toEqual([]);
});

test('a word that is not used is found with its file, line and replacement', () => {
  const text = 'fine\nWhat mends it: the ledger, told of nobody.\nwhoever';
  expect(mistakesIn('docs/x.md', text)).toEqual([
    'docs/x.md:2: "ledger": write audit log',
    'docs/x.md:2: "What mends": write how to fix it',
    'docs/x.md:3: "whoever": write name the subject: the operator, a client',
  ]);
  expect(mistakesIn('src/fleet/store/x.ts', "db.prepare('SELECT id FROM strangers')")).toEqual([]);
});

function mistakesIn(path: string, text: string): string[] {
  const found = rules.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: word, index }) => {
      const isMeant = MEANT.some(([name, at]) => name === word.toLowerCase() && at.test(path));
      const line = text.slice(0, index).split('\n').length;
      return isMeant ? [] : [{ line, message: `${path}:${line}: "${word}": write ${instead}` }];
    }),
  );
  return found.sort((a, b) => a.line - b.line).map(({ message }) => message);
}
