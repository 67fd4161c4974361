import type { ComputerNetwork } from '../../contract/resources/network.js';
import { parseDestination } from '../../lib/net/destination.js';
import { DELAY, DELAY_FORM, RATE, RATE_FORM } from '../../lib/net/throttle.js';
import { UsageError } from '../errors/cli-error.js';
import { list } from '../framework/define.js';

const FORM =
  'must be internet, none, or allow= and hosts with commas between; with ,rate=1mbit or ,delay=200ms it is throttled';

/** What a computer may reach; undefined if not given. */
export function networkOption(otherwise?: string) {
  const option = list(
    '--network <policy>',
    'what it may reach; allow=HOST,... only these, repeatable; throttled with ,rate=1mbit,delay=200ms',
    (text) => text,
    {
      choices: ['internet', 'none', 'allow='],
      ...(otherwise !== undefined && { otherwise }),
    },
  );
  return { ...option, read: (raw: Parameters<typeof option.read>[0]) => parse(option.read(raw)) };
}

function parse(given: readonly string[]): ComputerNetwork | undefined {
  if (given.length === 0) return undefined;
  const bases = new Set<string>();
  const allow: string[] = [];
  let throttle: { readonly rate?: string; readonly delay?: string } = {};
  for (const text of given) {
    let isList = false;
    for (const part of text.split(',')) {
      const [, name = '', value = ''] = /^(allow|rate|delay)=(.*)$/s.exec(part) ?? [];
      if (name === 'rate' || name === 'delay')
        throttle = { ...throttle, ...throttleOf(name, value) };
      else if (name === 'allow' || isList) {
        isList = true;
        bases.add('allow');
        allow.push(entryOf(name === 'allow' ? value : part));
      } else if (part === 'internet' || part === 'none') bases.add(part);
      else throw new UsageError(`${FORM}, not ${JSON.stringify(text)}`);
    }
  }
  const [base] = bases;
  if (bases.size > 1) throw new UsageError(`${[...bases].join(' and ')} cannot be combined`);
  if (Object.keys(throttle).length === 0)
    return base === 'internet' || base === 'none' ? base : { allow };
  if (base === 'none') throw new UsageError('none has nothing to throttle');
  if (base === undefined)
    throw new UsageError(
      `a rate or delay needs internet or allow= before it: internet,${given.join(',')}`,
    );
  return base === 'allow' ? { allow, ...throttle } : { internet: true, ...throttle };
}

const THROTTLE = { rate: [RATE, RATE_FORM], delay: [DELAY, DELAY_FORM] } as const;

function throttleOf(name: keyof typeof THROTTLE, value: string) {
  const [pattern, form] = THROTTLE[name];
  if (!pattern.test(value)) throw new UsageError(`${name} ${form}, not ${JSON.stringify(value)}`);
  return { [name]: value };
}

function entryOf(entry: string): string {
  try {
    parseDestination(entry);
    return entry;
  } catch (error) {
    throw new UsageError(`${JSON.stringify(entry)} ${(error as TypeError).message}`);
  }
}
