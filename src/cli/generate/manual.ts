import { type Argument, describeOption, type Option } from '../define.js';
import { exitCodeMeanings } from '../exit-codes.js';
import { environmentVariables, topics } from '../topics.js';
import type { Outline, OutlineCommand, OutlineGroup } from './outline.js';

/** Manual pages by file name, in man(7) roff: vc.1, one a noun, one for each command by itself. */
export function renderManual(outline: Outline): Map<string, string> {
  const pages = new Map([['vc.1', mainPage(outline)]]);
  for (const group of outline.groups) pages.set(`vc-${group.name}.1`, groupPage(group, outline));
  for (const command of outline.singles) {
    pages.set(`vc-${command.name}.1`, singlePage(command, outline));
  }
  return pages;
}

function mainPage(outline: Outline): string {
  const { groups, singles, globals } = outline;
  return page('vc', 'virtual computers on your own machine', [
    ...section('SYNOPSIS', ['\\fBvc\\fR [options] \\fIcommand\\fR [\\fIargument\\fR...]']),
    ...section('DESCRIPTION', [
      roff(
        'Creates, drives and watches virtual computers: real desktops in containers and virtual',
      ),
      roff('machines, on this machine or wherever the service runs.'),
    ]),
    ...section('COMMANDS', [
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
    ...section('NAMING', ['.nf', ...lines(topics.naming?.text ?? ''), '.fi']),
    ...section('OUTPUT', ['.nf', ...lines(topics.output?.text ?? ''), '.fi']),
  ]);
}

function groupPage(group: OutlineGroup, outline: Outline): string {
  const name = `vc-${group.name}`;
  return page(name, lower(group.summary), [
    ...section(
      'SYNOPSIS',
      group.commands.flatMap((command, index) => [
        ...(index === 0 ? [] : ['.br']),
        ...synopsis(`vc ${group.name}`, command),
      ]),
    ),
    ...section(
      'COMMANDS',
      group.commands.flatMap((command) => [
        `.SS ${roff(command.names.join(', '))}`,
        ...body(command),
      ]),
    ),
    ...section('OPTIONS OF EVERY COMMAND', options(outline.globals)),
    ...seeAlso(name),
  ]);
}

function singlePage(command: OutlineCommand, outline: Outline): string {
  const name = `vc-${command.name}`;
  return page(name, lower(command.summary), [
    ...section('SYNOPSIS', synopsis('vc', command)),
    ...section('DESCRIPTION', body(command)),
    ...section('OPTIONS OF EVERY COMMAND', options(outline.globals)),
    ...seeAlso(name),
  ]);
}

function page(name: string, summary: string, content: readonly string[]): string {
  const title = name.toUpperCase().replaceAll('-', '\\-');
  const head = [
    '.\\" Written by `npm run generate` from the command tree.',
    `.TH "${title}" "1" "" "vc" "Virtual Computers"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(summary)}`,
  ];
  return `${[...head, ...content].join('\n')}\n`;
}

function section(title: string, content: readonly string[]): string[] {
  return [`.SH ${title}`, ...content];
}

function synopsis(path: string, { name, arguments: args }: OutlineCommand): string[] {
  const words = args.map((argument) => argumentWord(argument));
  return [[`\\fB${roff(`${path} ${name}`)}\\fR`, '[options]', ...words].join(' ')];
}

function argumentWord({ name, required, variadic }: Argument<unknown>): string {
  const word = `\\fI${roff(name)}\\fR${variadic ? '...' : ''}`;
  return required ? word : `[${word}]`;
}

function body(command: OutlineCommand): string[] {
  return [
    `${roff(command.summary)}.`,
    ...(command.details === undefined ? [] : ['.PP', '.nf', ...wrapped(command.details), '.fi']),
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

function seeAlso(name: string): string[] {
  return section('SEE ALSO', name === 'vc' ? [] : ['.BR vc (1)']);
}

function lines(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? '.sp' : roff(line)));
}

/** Long lines of prose are broken here, because the text around may be laid out. */
function wrapped(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= 76) return line === '' ? ['.sp'] : [roff(line)];
    const parts = line.match(/.{1,76}(?= |$)/g) ?? [line];
    return parts.map((part) => roff(part.trim()));
  });
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Text as roff takes it: backslashes, hyphens of options, and lines that begin like requests. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
