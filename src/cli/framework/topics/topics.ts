import { engines } from '../../../engines/index.js';
import { wrap } from '../../../lib/text/wrap.js';
import { exitCodeMeanings } from '../../errors/exit-codes.js';
import { unitNames } from '../../input/duration.js';
import { ENGINE_CHOICES } from '../../input/engine-choice.js';
import { describeOption, type Example, enumerate } from '../define.js';
import { globalOptions } from '../globals.js';
import type { TopicName } from './names.js';

export interface Topic {
  readonly summary: string;
  readonly text: string;
}

const COLUMNS = 80;
/** The manual has the tables too, indented. */
const MANUAL_INDENT = 7;

/** Numbers of the example of each unit of a duration. */
const EXAMPLES: Readonly<Record<string, number>> = { ms: 500, s: 2, m: 10, h: 1, d: 30, w: 2 };

function rows(entries: readonly (readonly [string | number, string])[]): string {
  const width = Math.max(...entries.map(([name]) => String(name).length)) + 2;
  return entries
    .flatMap(([name, meaning]) =>
      wrap(meaning, COLUMNS - MANUAL_INDENT - 2 - width).map(
        (line, index) => `  ${String(index === 0 ? name : '').padEnd(width)}${line}`,
      ),
    )
    .join('\n');
}

function paragraph(...lines: readonly string[]): string {
  return wrap(lines.join(' '), COLUMNS).join('\n');
}

/** Environment variables of the command line and the service, for help and the manual. */
export const environmentVariables: readonly (readonly [string, string])[] = [
  ['VC_API_KEY', 'API key; overrides the key of the profile'],
  ['VC_BASE_URL', 'base URL of the service, for example https://vc.example.com/api'],
  ['VC_CACERT', 'PEM file of the certificate authority of the service'],
  ['VC_PROJECT', 'project of computers that are given by name alone'],
  ['VC_PROFILE', 'profile to use'],
  ['VC_CONFIG_DIR', 'directory of the profiles (default: XDG_CONFIG_HOME/vc or ~/.config/vc)'],
  ['VC_LISTEN', 'address that `vc serve` listens on, for example 127.0.0.1:4800'],
  [
    'VC_ENGINE',
    `engine of \`vc serve\` and \`vc image\` without --engine: ${enumerate(ENGINE_CHOICES)}`,
  ],
  [
    'VC_STATE_DIR',
    'state directory of the service (default: XDG_STATE_HOME/vc or ~/.local/state/vc)',
  ],
  ['VC_METRICS', '1: serve Prometheus metrics at /metrics'],
  ['VC_ALLOW_PRIVATE_TARGETS', '1: allow streams and webhooks to loopback and private addresses'],
  ...engines.flatMap(({ environment }) => environment),
  ['NO_COLOR', 'disable colours'],
  ['FORCE_COLOR', 'force colours, even in a pipe; 0 disables them'],
];

/** Examples of the topic jq. */
export const jqExamples: readonly Example[] = [
  { does: 'Names of all computers', command: "vc ls --jq '.computers[].name'" },
  {
    does: 'Names and ids of the running ones, in columns',
    command: `vc ls --jq '.computers[] | select(.status == "running") | [.name, .id] | @tsv'`,
  },
  {
    does: 'Age of each computer in minutes',
    command: `vc ls --jq '.computers[] | .name + " " +
    (now - (.created_at[:19] + "Z" | fromdate) | . / 60 | floor | tostring)'`,
  },
  {
    does: 'Ids of the computers that were created more than a day ago',
    command: `vc ls --jq '.computers[] | select((.created_at[:19] + "Z" | fromdate) <
    now - 24 * 60 * 60) | .id'`,
  },
  {
    does: 'Milliseconds between creation and start',
    command: `vc ls --jq 'def ms: (.[:19] + "Z" | fromdate) * 1000 + (.[20:23] | tonumber);
    .computers[] | select(.started_at) |
    [.name, (.started_at | ms) - (.created_at | ms)]'`,
  },
  {
    does: 'Computer hours of each key',
    command: `vc usage --jq '.days | group_by(.key)[] |
    [.[0].key.name, (map(.computer_seconds) | add / 3600)] | @tsv'`,
  },
];

/** `vc help TOPIC`. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  options: {
    summary: 'options of every command',
    text: [
      rows(Object.values(globalOptions).map((option) => [option.flags, describeOption(option)])),
      '',
      paragraph('They can stand before or after the name of the command.'),
    ].join('\n'),
  },
  environment: {
    summary: 'environment variables',
    text: [
      rows(environmentVariables),
      '',
      paragraph(
        'Precedence: flag > environment > profile > default. `vc profile get` shows the effective',
        'settings. The key of a profile is only sent to the base URL of that profile.',
      ),
    ].join('\n'),
  },
  'exit-codes': {
    summary: 'exit codes',
    text: [
      rows(exitCodeMeanings),
      '',
      paragraph(
        '`vc exec`, `vc bash`, `vc python` and `vc shell` return the exit code of the program that they',
        'ran, or 128 plus the number of the signal that ended it, so a failure of vc itself, an invalid',
        'command line included, is always 125 there. If several operations fail, the highest exit code',
        'is returned.',
      ),
    ].join('\n'),
  },
  naming: {
    summary: 'names of projects and computers',
    text: [
      rows([
        ['demo/desktop', 'the computer "desktop" of the project "demo"'],
        ['desktop', 'in the default project, else the only one of that name in any project'],
        ['cmp_0123456789abcdefghjk', 'by id, in any project'],
        ['cmp_0123', 'by the start of the id, if only one computer has it'],
      ]),
      '',
      paragraph(
        'The default project is the one of `vc project use`, else `default`, which `vc create` creates',
        'if it is missing. With -p or VC_PROJECT a bare name is only looked up in that project.',
        'Commands that only show something, and `vc shell` and `vc record`, need no name if there is',
        'one computer only.',
      ),
      '',
      paragraph(
        'A project name has 1 to 64 letters, digits, "_" or "-". A computer name is any text of 1 to',
        '128 characters without control characters. With -p the whole argument is the name, slashes',
        'included.',
      ),
    ].join('\n'),
  },
  durations: {
    summary: 'durations',
    text: [
      rows(
        Object.entries(unitNames).map(([unit, name]) => [`${EXAMPLES[unit] ?? 1}${unit}`, name]),
      ),
      '',
      paragraph(
        'Fractions such as 1.5h work too. A number without a unit is in seconds, but in minutes for',
        '--auto-stop, and in milliseconds for --delay and --hold of `vc press`. --expires of `vc key` is a',
        'duration from now, a date such as 2027-01-31, or never.',
      ),
    ].join('\n'),
  },
  formatting: {
    summary: 'output formats',
    text: [
      paragraph('Data is printed on stdout; messages, progress, prompts and errors on stderr.'),
      '',
      rows([
        [
          'on a terminal',
          'tables that fit its width, relative times such as "3 minutes ago", colours',
        ],
        [
          'in a pipe',
          'a header line, columns separated by tabs, nothing truncated, RFC 3339 times',
        ],
        ['-q, --quiet', 'only ids, one per line'],
        ['--json', 'one JSON document, on one line in a pipe'],
        [
          '--json FIELDS',
          'only these fields of the object, or of each object of the list: --json id,name',
        ],
        [
          '-o wide',
          'lists: all columns, one on a line if the terminal is too narrow for them; -o json is the same as --json, -o yaml prints YAML',
        ],
        ['--jq EXPR', 'the JSON filtered with jq; see: vc help jq'],
      ]),
      '',
      paragraph(
        'The help of a command lists its JSON fields. Fields may be added, but are never removed. With',
        '--json an error is JSON on stderr: {"error": {"code", "message", "hint", "request_id"}}. For',
        'several names, --json prints a list of {"name", "answer"} or {"name", "error"}.',
      ),
      '',
      paragraph('Colours: --no-color, then FORCE_COLOR, then NO_COLOR, else only on a terminal.'),
    ].join('\n'),
  },
  jq: {
    summary: 'filtering JSON with --jq',
    text: [
      paragraph(
        '--jq prints what a jq expression makes of the JSON that --json would print: texts without',
        'quotes, anything else as JSON, one result on a line. jq need not be installed. Its language is',
        'described at https://jqlang.org/manual.',
      ),
      '',
      paragraph(
        'Times have milliseconds, such as 2026-11-22T11:03:07.250Z, which `fromdate` of jq does not',
        'read: `.created_at[:19] + "Z" | fromdate` is the time in seconds since 1970.',
      ),
      '',
      ...jqExamples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`]),
    ].join('\n'),
  },
};
