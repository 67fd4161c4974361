import { nearest } from '../../lib/text/nearest.js';
import { UsageError } from '../errors/cli-error.js';
import { defineCommand, many } from '../framework/define.js';
import { write } from '../framework/io.js';
import { type CommandTree, isGroup, isNamed } from '../framework/nodes.js';
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
      { does: 'List the exit codes', command: 'vc help exit-codes' },
      { does: 'Show help for a command', command: 'vc help computer click' },
    ],
    async run(context, { words }) {
      const [word] = words;
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
