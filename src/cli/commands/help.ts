import { nearest } from '../../lib/text/nearest.js';
import { wrap } from '../../lib/text/wrap.js';
import { UsageError } from '../errors/cli-error.js';
import { defineCommand, many } from '../framework/define.js';
import { headings } from '../framework/help.js';
import { write } from '../framework/io.js';
import { type CommandTree, isGroup, isNamed, type Node, shortFormOf } from '../framework/nodes.js';
import { suggestCommand } from '../framework/suggestions/suggest.js';
import { topicNames } from '../framework/topics/names.js';
import { topics } from '../framework/topics/topics.js';

const topicList = Object.entries(topics).map(
  ([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`,
);

export const command = (tree: CommandTree) =>
  defineCommand({
    name: 'help',
    summary: 'Show help for a command or a topic',
    details: ['Topics:', ...topicList].join('\n'),
    arguments: {
      words: { ...many('word', 'command or topic', { completes: 'command' }), required: false },
    },
    options: {},
    examples: [
      { does: 'List all commands and what they do', command: 'vc help all' },
      { does: 'List the exit codes', command: 'vc help exit-codes' },
      { does: 'Show help for a command', command: 'vc help computer click' },
    ],
    async run(context, { words }) {
      const [word] = words;
      if (word === 'all' && words.length === 1) {
        return void (await write(context.io.stdout, await allCommands(tree)));
      }
      const topic = topicNames.find((name) => name === word);
      if (topic !== undefined) {
        const { summary, text } = topics[topic];
        await write(context.io.stdout, `${summary}\n\n${text}\n`);
        return undefined;
      }
      await checkWords(tree, words);
      const color = context.globals.color ? [] : ['--no-color'];
      return context.run([...words, '--help', ...color]);
    },
  });

/** Every command with what it does; one that has a short form only as that. */
async function allCommands(tree: CommandTree): Promise<string> {
  const sections = await Promise.all(
    headings(tree).map(async ([heading, nodes]) => {
      const entries = await Promise.all(nodes.map((node) => entriesOf(tree, node)));
      return [heading, entries.flat()] as const;
    }),
  );
  const names = sections.flatMap(([, entries]) => entries.map(([name]) => name));
  const indent = Math.max(...names.map(({ length }) => length)) + 4;
  const shown = sections.map(([heading, entries]) => {
    const lines = entries.flatMap(([name, summary]) => {
      const [first = '', ...rest] = wrap(summary, 80 - indent);
      return [`  ${name}`.padEnd(indent) + first, ...rest.map((line) => ' '.repeat(indent) + line)];
    });
    return [`${heading}:`, ...lines].join('\n');
  });
  return `${shown.join('\n\n')}\n`;
}

type Entry = readonly [name: string, summary: string];

async function entriesOf(tree: CommandTree, node: Node): Promise<readonly Entry[]> {
  if (!isGroup(node)) return [[node.name, (await node.load()).command.summary]];
  const verbs = Object.entries(node.verbs).filter(
    ([verb]) => shortFormOf(tree, node.name, verb) === undefined,
  );
  const loaded = verbs.map(async ([verb, load]): Promise<Entry> => {
    return [`${node.name} ${verb}`, (await load()).command.summary];
  });
  return [[node.name, node.summary], ...(await Promise.all(loaded))];
}

/** Throws UsageError if the words name no command. */
async function checkWords(tree: CommandTree, [noun, verb]: readonly string[]): Promise<void> {
  if (noun === undefined) return;
  const node = tree.find((candidate) => isNamed(candidate, noun));
  if (node === undefined) {
    const topic = nearest(noun, topicNames);
    const meant =
      topic === undefined ? suggestCommand(tree, [noun]) : `Did you mean vc help ${topic}?`;
    throw new UsageError(
      `there is no command or topic "${noun}"`,
      withSuggestion(meant, 'vc --help'),
    );
  }
  if (!isGroup(node) || verb === undefined || Object.hasOwn(node.verbs, verb)) return;
  const loaded = await Promise.all(Object.values(node.verbs).map((load) => load()));
  const names = loaded.flatMap(({ command: { name, aliases = [] } }) => [name, ...aliases]);
  if (names.includes(verb)) return;
  const remedy = withSuggestion(suggestCommand(tree, [noun, verb]), `vc ${node.name} --help`);
  throw new UsageError(`${node.name} has no command "${verb}"`, remedy);
}

function withSuggestion(question: string | undefined, help: string): string {
  return question === undefined ? `see: ${help}` : `${question} See: ${help}`;
}
