import { exitCodeMeanings } from '../errors/exit-codes.js';
import { type Argument, describeOption, type Option } from '../framework/define.js';
import { environmentVariables, topics } from '../framework/topics/topics.js';
import type { Outline, OutlineCommand, OutlineGroup } from './outline.js';

/** Date of the release that the pages document. */
const DATE = '2026-11-20';

/**
 * Man pages by file name, in man(7) roff: vc.1, one per group and one per command. The page of a
 * short form includes that of its command.
 */
export function renderManual(outline: Outline): Map<string, string> {
  const pages = new Map([['vc.1', mainPage(outline)]]);
  for (const { name, shortFor } of outline.shortForms) {
    pages.set(`vc-${name}.1`, `.so man1/vc-${shortFor.join('-')}.1\n`);
  }
  for (const group of outline.groups) {
    pages.set(`vc-${group.name}.1`, groupPage(group));
    for (const command of group.commands) {
      const path = ['vc', group.name, command.name];
      pages.set(`${path.join('-')}.1`, commandPage(path, command, outline));
    }
  }
  for (const command of outline.singles) {
    pages.set(`vc-${command.name}.1`, commandPage(['vc', command.name], command, outline));
  }
  return pages;
}

function mainPage(outline: Outline): string {
  const { shortForms, groups, singles, globals } = outline;
  return page('vc', 'virtual computers on your own machine', [
    ...section('SYNOPSIS', ['\\fBvc\\fR [options] \\fIcommand\\fR [\\fIargument\\fR...]']),
    ...section('DESCRIPTION', [
      roff(
        'Creates, controls and shows virtual computers: real desktops in containers and virtual',
      ),
      roff('machines, on this machine or wherever the service runs.'),
    ]),
    ...section('COMMANDS', [
      ...shortForms.flatMap(({ name, summary }) => term(`.BR vc\\-${name} (1)`, summary)),
      ...groups.flatMap(({ name, summary }) => term(`.BR vc\\-${name} (1)`, summary)),
      ...singles.flatMap(({ name, summary }) => term(`.BR vc\\-${name} (1)`, summary)),
    ]),
    ...section('OPTIONS', options(globals)),
    ...section(
      'ENVIRONMENT',
      environmentVariables.flatMap(([name, does]) => term(`.B ${roff(name)}`, does)),
    ),
    ...section(
      'EXIT STATUS',
      exitCodeMeanings.flatMap(([code, does]) => term(`.B ${code}`, does)),
    ),
    ...section('NAMING', formatted(topics.naming.text)),
    ...section('OUTPUT', formatted(topics.formatting.text)),
  ]);
}

function groupPage(group: OutlineGroup): string {
  const name = `vc-${group.name}`;
  return page(name, lower(group.summary), [
    ...section('SYNOPSIS', [`\\fBvc ${group.name}\\fR \\fIcommand\\fR [\\fIargument\\fR...]`]),
    ...(group.details === undefined ? [] : section('DESCRIPTION', formatted(group.details))),
    ...section(
      'COMMANDS',
      group.commands.flatMap((command) =>
        term(`.BR ${roff(`${name}-${command.name}`)} (1)`, command.summary),
      ),
    ),
    ...seeAlso(['vc']),
  ]);
}

function commandPage(path: readonly string[], command: OutlineCommand, outline: Outline): string {
  const { fields } = command;
  return page(path.join('-'), lower(command.summary), [
    ...section('SYNOPSIS', synopsis(path, command, outline)),
    ...(command.names.length === 1
      ? []
      : section('ALIASES', [roff(command.names.slice(1).join(', '))])),
    ...section('DESCRIPTION', body(command)),
    ...(fields === undefined ? [] : section('JSON FIELDS', [roff(fields.join(', '))])),
    ...section('GLOBAL OPTIONS', ['See the section OPTIONS of', '.BR vc (1).']),
    ...seeAlso(path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join('-'))),
  ]);
}

function page(name: string, summary: string, content: readonly string[]): string {
  const title = name.toUpperCase().replaceAll('-', '\\-');
  const head = [
    '.\\" Written by `npm run generate` from the command tree.',
    `.TH "${title}" "1" "${DATE}" "vc" "Virtual Computers"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(summary)}`,
  ];
  return `${[...head, ...content].join('\n')}\n`;
}

function section(title: string, content: readonly string[]): string[] {
  return [`.SH ${title}`, ...content];
}

/** The usage of a command: with its noun, then the short form. */
function synopsis(path: readonly string[], command: OutlineCommand, outline: Outline): string[] {
  const short = outline.shortForms.find(
    ({ shortFor }) => `vc ${shortFor.join(' ')}` === path.join(' '),
  );
  const calls = [path.join(' '), ...(short === undefined ? [] : [`vc ${short.name}`])];
  const words = command.arguments.map((argument) => argumentWord(argument));
  const lines = calls.map((call) => [`\\fB${roff(call)}\\fR`, '[options]', ...words].join(' '));
  return lines.flatMap((line, index) => (index === 0 ? [line] : ['.br', line]));
}

function argumentWord({ name, required, variadic }: Argument<unknown>): string {
  const word = `\\fI${roff(name)}\\fR${variadic ? '...' : ''}`;
  return required ? word : `[${word}]`;
}

function body(command: OutlineCommand): string[] {
  return [
    `${roff(command.summary)}.`,
    ...(command.details === undefined ? [] : ['.PP', ...formatted(command.details)]),
    ...command.arguments.flatMap(({ name, summary }) => term(`.I ${roff(name)}`, summary)),
    ...options(command.options),
    ...(command.examples.length === 0 ? [] : ['.PP', 'Examples:']),
    ...command.examples.flatMap(({ does, command: example }) => [
      '.PP',
      `${roff(does)}:`,
      '.RS 4',
      '.nf',
      roff(example),
      '.fi',
      '.RE',
    ]),
  ];
}

function options(list: readonly Option<unknown>[]): string[] {
  return list.flatMap((option) => term(`.B ${roff(option.flags)}`, describeOption(option)));
}

function term(head: string, text: string): string[] {
  return ['.TP', head, roff(text)];
}

function seeAlso(names: readonly string[]): string[] {
  return section('SEE ALSO', [names.map((name) => `.BR ${roff(name)} (1)`).join(' ,\n')]);
}

/** Lines of tables and code, which are indented, stay as they are; others are filled by man. */
function formatted(text: string): string[] {
  const lines: string[] = [];
  let isKept = false;
  for (const line of text.split('\n')) {
    const isIndented = line.startsWith(' ');
    if (isIndented !== isKept) lines.push(isIndented ? '.nf' : '.fi');
    isKept = isIndented;
    lines.push(line === '' ? '.sp' : roff(line));
  }
  return isKept ? [...lines, '.fi'] : lines;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Escapes text for roff: backslashes, hyphens, quotes, and lines that look like requests. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/[^\n -~]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    });
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
