/** A command line that users of other tools type, and what to use here. */
interface Habit {
  /** Commander's code for what is wrong with it. */
  readonly code: 'unknownOption' | 'excessArguments' | 'missingArgument';
  /** Its first words. */
  readonly command: RegExp;
  /** One of its words. */
  readonly word: RegExp;
  readonly instead: string;
}

const BACKGROUND = "To run a command in the background: vc bash COMPUTER --background 'COMMAND'.";

const RESOLUTION =
  'The resolution is chosen when a computer is created: vc create NAME --resolution 1920x1080.';

/** Commands with --settle. */
const ACTIONS =
  /^(computer )?(screenshot|click|type|press|key|move|drag|scroll|mouse-down|mouse-up|key-down|key-up)$/;

const habits: readonly Habit[] = [
  {
    code: 'unknownOption',
    command: /\bexec$/,
    word: /^(-d|--detach|--background)$/,
    instead: BACKGROUND,
  },
  {
    code: 'unknownOption',
    command: /\b(bash|python)$/,
    word: /^(-it|-ti|-i|-t|--tty|--interactive)$/,
    instead: 'For a terminal: vc shell COMPUTER, or vc exec -t COMPUTER PROGRAM.',
  },
  {
    code: 'unknownOption',
    command: /^serve/,
    word: /^--(port|host|address)\b/,
    instead: 'Give the address and port: vc serve --listen 127.0.0.1:4700.',
  },
  {
    code: 'unknownOption',
    command: /^key (create|update)/,
    word: /^--read-?only\b/,
    instead: 'For a key that only looks: --rights look.',
  },
  {
    code: 'unknownOption',
    command: /\brm$/,
    word: /^(-f|--force)$/,
    instead: 'To skip the confirmation, use --yes alone.',
  },
  {
    code: 'unknownOption',
    command: /\bls$/,
    word: /^--format\b/,
    instead: 'For other formats: --json, --jq EXPRESSION, -o wide or -o yaml.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?sync$/,
    word: /^--(ignore|include|filter|skip)\b/,
    instead: 'To leave files out: --exclude PATTERN, or --gitignore.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?sync$/,
    word: /^--(both|two-way|bidirectional|mirror)\b/,
    instead: 'Run it once in each direction, with --update, which keeps newer files.',
  },
  ...['status', 'logs', 'stop', 'restart'].map((verb) => ({
    code: 'excessArguments' as const,
    command: /^serve\b/,
    word: RegExp(`^${verb}$`),
    instead: `Did you mean vc service ${verb}?`,
  })),
  {
    code: 'excessArguments',
    command: /^(computers? )?(ls|list)$/,
    word: /./,
    instead: 'For the computers of a project: vc ls -p PROJECT; for one computer: vc get COMPUTER.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?wait$/,
    word: /^--(settle|settled|quiet|idle|until(-stable)?)\b/,
    instead: 'Did you mean --stable? --settle is an option of actions, such as vc click.',
  },
  {
    code: 'unknownOption',
    command: ACTIONS,
    word: /^--(stable|settled|wait|idle)\b/,
    instead:
      'Did you mean --settle? It waits at most 2 s. To wait longer: vc wait COMPUTER --stable.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?record$/,
    word: /^(--(duration|seconds|time|length|limit|timeout|max-duration)\b|-[dt])/,
    instead: 'Did you mean --for? It takes a duration: --for 10s.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?(create|update)$/,
    word: /^(--mem(ory)?\b|-m$)/,
    instead: 'Memory in GB: --ram 4.',
  },
  {
    code: 'unknownOption',
    command: /^(computer )?create$/,
    word: /^--name\b/,
    instead: 'The name is an argument: vc create NAME.',
  },
  {
    code: 'excessArguments',
    command: /^(computer )?create$/,
    word: /./,
    instead: 'Create one computer at a time: vc create NAME. Quote a name that contains spaces.',
  },
  {
    code: 'excessArguments',
    command: /^computer stream$/,
    word: /^rtmps?:/,
    instead:
      'Name the target with --connection or --url: vc computer stream start COMPUTER --connection NAME.',
  },
  {
    code: 'unknownOption',
    command: /^connection (add|create)$/,
    word: /^--(stream-)?key\b/,
    instead: 'vc asks for the stream key, or reads it from stdin with --key-stdin.',
  },
  {
    code: 'unknownOption',
    command: /^login$/,
    word: /^--(api-?key|key|token|with-token)\b/,
    instead: 'vc asks for the API key, or reads it from stdin: vc login URL < key.txt.',
  },
  {
    code: 'excessArguments',
    command: /\bscreenshot$/,
    word: /\.(png|jpe?g|webp)$/,
    instead: 'Name the file with -o: vc screenshot COMPUTER -o FILE.',
  },
  {
    code: 'unknownOption',
    command: /./,
    word: /^(-y|--yes)$/,
    instead: 'It asks no question: leave out --yes.',
  },
  {
    code: 'missingArgument',
    command: /^job [a-z]+$/,
    word: /^job_/,
    instead: 'Write the computer before the job; see: vc ls.',
  },
];

/** What to use in place of an option or argument that another tool has; undefined if unknown. */
export function insteadOf(
  code: string,
  words: readonly string[],
  argv: readonly string[],
): string | undefined {
  const command = words.slice(0, 2).join(' ');
  const short = words[0] ?? '';
  return habits.find(
    (habit) =>
      code === `commander.${habit.code}` &&
      (habit.command.test(command) || habit.command.test(short)) &&
      argv.some((word) => habit.word.test(word)),
  )?.instead;
}

/** Commands that users of other tools type, and what to use here where no single command does it. */
const commands: readonly (readonly [command: RegExp, instead: string])[] = [
  [/^jobs? (start|run|create|new|add)$/, BACKGROUND],
  [/^(computers? )?(resize|resolution)\b/, RESOLUTION],
];

/** What to use in place of a command that another tool has; undefined if unknown. */
export function insteadOfCommand(path: readonly string[]): string | undefined {
  return commands.find(([command]) => command.test(path.join(' ')))?.[1];
}
