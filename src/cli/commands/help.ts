import { defineCommand, many } from '../define.js';
import { UsageError } from '../errors.js';
import { write } from '../io.js';
import { nearest } from '../nearest.js';
import { topics } from '../topics.js';
import { isGroup, isNamed, tree } from '../tree.js';

/** Throws UsageError for a verb that the group does not have. */
async function checkVerb([noun, verb]: readonly string[]): Promise<void> {
  const group = tree.filter(isGroup).find((node) => isNamed(node, noun));
  if (group === undefined || verb === undefined || Object.hasOwn(group.verbs, verb)) return;
  const loaded = await Promise.all(Object.values(group.verbs).map((load) => load()));
  const names = loaded.flatMap(({ command: { name, aliases = [] } }) => [name, ...aliases]);
  if (names.includes(verb)) return;
  const near = nearest(verb, names);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  throw new UsageError(
    `${group.name} has no command "${verb}"`,
    `${meant}see: vc ${group.name} --help`,
  );
}

export const command = defineCommand({
  name: 'help',
  summary: 'Show the help of a command or a topic',
  details: `Topics:\n${Object.entries(topics)
    .map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`)
    .join('\n')}`,
  arguments: { words: { ...many('word', 'a command or a topic'), required: false } },
  options: {},
  examples: [
    { does: 'What the exit codes say', command: 'vc help exit-codes' },
    { does: 'The help of a command', command: 'vc help computer click' },
  ],
  async run(context, { words }) {
    const [word] = words;
    const topic = word !== undefined && Object.hasOwn(topics, word) ? topics[word] : undefined;
    if (topic !== undefined) {
      await write(context.io.stdout, `${topic.summary}\n\n${topic.text}\n`);
      return undefined;
    }
    const names = tree.flatMap((node) => [
      node.name,
      ...(isGroup(node) ? (node.aliases ?? []) : []),
    ]);
    if (word !== undefined && !names.includes(word)) {
      const near = nearest(word, [...names, ...Object.keys(topics)]);
      const meant = near === undefined ? '' : `did you mean ${near}? `;
      throw new UsageError(`there is no command or topic "${word}"`, `${meant}see: vc --help`);
    }
    await checkVerb(words);
    const { main } = await import('../main.js');
    const { io, env, cwd, interrupts, globals } = context;
    const color = globals.color ? [] : ['--no-color'];
    return main([...words, '--help', ...color], { io, env, cwd, interrupts });
  },
});
