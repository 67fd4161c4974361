import type { ComputerNetwork } from '../../contract/resources/network.js';
import { parseDestination } from '../../lib/net/destination.js';
import { UsageError } from '../errors/cli-error.js';
import { list } from '../framework/define.js';

const FORM = 'must be internet, none, or allow= and hosts with commas between';

/** What a computer may reach; undefined if not given. */
export function networkOption(otherwise?: string) {
  const option = list(
    '--network <policy>',
    'what it may reach; allow=HOST,... only these, repeatable',
    (text) => text,
    {
      choices: ['internet', 'none', 'allow='],
      ...(otherwise !== undefined && { otherwise }),
    },
  );
  return { ...option, read: (raw: Parameters<typeof option.read>[0]) => parse(option.read(raw)) };
}

function parse(given: readonly string[]): ComputerNetwork | undefined {
  const [first] = given;
  if (first === undefined) return undefined;
  if (first === 'internet' || first === 'none') {
    if (given.length === 1) return first;
    throw new UsageError(`${first} cannot be combined with another policy`);
  }
  return { allow: given.flatMap(entriesOf) };
}

function entriesOf(text: string): string[] {
  if (!text.startsWith('allow=')) throw new UsageError(`${FORM}, not ${JSON.stringify(text)}`);
  const entries = text.slice('allow='.length).split(',');
  for (const entry of entries) {
    try {
      parseDestination(entry);
    } catch (error) {
      throw new UsageError(`${JSON.stringify(entry)} ${(error as TypeError).message}`);
    }
  }
  return entries;
}
