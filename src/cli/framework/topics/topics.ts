import { engines } from '../../../engines/index.js';
import { wrap } from '../../../lib/text/wrap.js';
import { exitCodeMeanings } from '../../errors/exit-codes.js';
import { ENGINE_CHOICES } from '../../input/engine-choice.js';
import { describeOption, enumerate } from '../define.js';
import { globalOptions } from '../globals.js';
import type { TopicName } from './names.js';

export interface Topic {
  readonly summary: string;
  readonly text: string;
}

const COLUMNS = 80;

function rows(entries: readonly (readonly [string | number, string])[]): string {
  const width = Math.max(...entries.map(([name]) => String(name).length)) + 2;
  return entries
    .flatMap(([name, meaning]) =>
      wrap(meaning, COLUMNS - 2 - width).map(
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
  ['VC_LISTENER_UID', "user besides root and you who may own the service's local port, or any"],
  ['VC_BASE_URL', 'base URL of the service, for example https://vc.example.com/api'],
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
  ['VC_ALLOW_PRIVATE_RTMP', '1: allow streams to loopback and private addresses'],
  ...engines.flatMap(({ environment }) => environment),
  ['NO_COLOR', 'disable colours'],
  ['FORCE_COLOR', 'force colours, even in a pipe; 0 disables them'],
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
      rows([
        ['500ms', 'milliseconds'],
        ['2s', 'seconds'],
        ['10m', 'minutes'],
        ['1h', 'hours'],
      ]),
      '',
      paragraph(
        'Fractions such as 1.5h work too. A number without a unit is in seconds, but in minutes for',
        '--auto-stop, and in milliseconds for --delay and --hold of `vc press`.',
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
        ['-o wide', 'lists: all columns; -o json is the same as --json, -o yaml prints YAML'],
        ['--jq EXPR', "the JSON filtered with jq: vc ls --jq '.computers[].name'"],
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
};
