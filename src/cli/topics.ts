import { exitCodeMeanings } from './exit-codes.js';
import { wrap } from './wrap.js';

export interface Topic {
  readonly summary: string;
  readonly text: string;
}

/** Every terminal has as many. */
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

/** Variables that the command line and the service read, for help and the manual. */
export const environmentVariables: readonly (readonly [string, string])[] = [
  ['VC_API_KEY', 'API key; stronger than the one of the profile'],
  ['VC_BASE_URL', 'address of the service, for example https://vc.example.com/api'],
  ['VC_PROJECT', 'project that a bare computer name is in'],
  ['VC_PROFILE', 'profile to use'],
  ['VC_CONFIG_DIR', 'where profiles are kept; else XDG_CONFIG_HOME/vc, else ~/.config/vc'],
  ['VC_LISTEN', 'address that vc serve listens on, for example 127.0.0.1:4800'],
  ['VC_ENGINE', 'what vc serve and vc image take without --engine: auto, docker or qemu'],
  ['VC_STATE_DIR', "the service's state; else XDG_STATE_HOME/vc, else ~/.local/state/vc"],
  ['VC_METRICS', '1: the service tells every key how much is done, at /metrics'],
  ['VC_ALLOW_PRIVATE_RTMP', '1: streams may go to loopback and private addresses'],
  ['DOCKER_HOST', 'Docker Engine to use, for example unix:///var/run/docker.sock'],
  ['NO_COLOR', 'no colours when set to anything'],
  ['FORCE_COLOR', 'colours even in a pipe; 0: none'],
];

/** `vc help TOPIC`. */
export const topics: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'variables that vc reads',
    text: [
      rows(environmentVariables),
      '',
      paragraph(
        'A flag is stronger than a variable, that than the profile, that than the default; see what',
        "is in force with `vc profile get`. A profile's key goes to that profile's own base URL only.",
      ),
    ].join('\n'),
  },
  'exit-codes': {
    summary: 'what the exit code of vc says',
    text: [
      rows(exitCodeMeanings),
      '',
      paragraph(
        '`vc computer exec` and `vc computer bash` end with the code of the command that they ran,',
        'and with 128 and the number of the signal that ended it. Of several failures the highest is',
        'told.',
      ),
    ].join('\n'),
  },
  naming: {
    summary: 'how projects and computers are named',
    text: [
      rows([
        ['demo/desktop', 'the computer desktop of the project demo'],
        ['desktop', 'in the project of -p, VC_PROJECT or the profile'],
        ['cmp_0123456789abcdefghjk', 'by its id, whatever its project'],
      ]),
      '',
      paragraph(
        'A project is 1 to 64 letters, digits, "_" or "-". A computer is any text of 1 to 128',
        'characters without control characters; with -p the whole text is its name, slashes included.',
      ),
    ].join('\n'),
  },
  formatting: {
    summary: 'what is printed where, and how a script reads it',
    text: [
      paragraph(
        'Data goes to stdout, everything else to stderr: messages, progress, questions and errors.',
      ),
      '',
      rows([
        [
          'on a terminal',
          'tables fitted to its width, on a narrow one with fewer columns, times as "3 minutes ago", colours',
        ],
        [
          'in a pipe',
          'a line of headers, columns separated by tabs, nothing cut off, RFC 3339 times',
        ],
        ['-q, --quiet', 'ids only, one a line'],
        ['--json', 'the answer as one JSON document, on one line in a pipe'],
        ['--json=FIELDS', 'these fields only, of the thing or of each in the list: --json=id,name'],
        ['--jq EXPR', "what jq makes of the document: vc computer ls --jq '.computers[].name'"],
      ]),
      '',
      paragraph(
        'The help of a command names its fields; they stay, others may be added. With --json an',
        'error is JSON on stderr: {"error": {"code", "message", "hint", "request_id"}}. Of several',
        'names at once, --json prints a list of {"name", "answer"} or {"name", "error"}.',
      ),
      '',
      paragraph(
        'Colours: --no-color, then FORCE_COLOR, then NO_COLOR, then whether it is a terminal.',
      ),
    ].join('\n'),
  },
};
