import { computerParameters } from '../../client/http/address.js';
import type { OperationName } from '../../contract/routes.js';
import type { Answer, BodyInput, QueryInput } from '../../contract/types/index.js';
import { shellWord } from '../../lib/text/shell-word.js';
import type { Context } from '../framework/context.js';
import { argument, many, optional } from '../framework/define.js';
import { text } from '../input/parse.js';
import { printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { computerAddress, describeAddress, inCommands } from './computer-address.js';
import { type ForEach, forEach } from './for-each.js';

const WHICH = 'PROJECT/NAME, name or id';

export const computerArgument = argument('computer', WHICH, text, { completes: 'computer' });

/** A computer that has to be running. */
export const runningComputer = { ...computerArgument, completes: 'running-computer' } as const;

/** A computer that need not be named if it is the only one; see {@link namedOrOnly}. */
export const optionalComputer = optional(
  'computer',
  `${WHICH}; not needed if there is one only`,
  text,
  {
    completes: 'computer',
  },
);

/** Computers, which need not be named if there is one only. */
export const optionalComputers = many('computer', `${WHICH}; not needed if there is one only`, {
  completes: 'computer',
  required: false,
});

/** The same for a computer that has to be running. */
export const optionalRunningComputer = {
  ...optionalComputer,
  completes: 'running-computer',
} as const;

/** A running computer that is not needed where labels select several. */
export const programComputer = optional('computer', `${WHICH}; not with --label or --all`, text, {
  completes: 'running-computer',
});

/** The given computer, or the only one. */
export async function namedOrOnly(context: Context, given: string | undefined): Promise<string> {
  return given ?? (await import('./lookup/find-computer.js')).onlyComputer(context);
}

/** One or more computers; completion suggests those in `state`. */
export const computersArgument = (state: 'any' | 'running' | 'stopped') =>
  many('computer', WHICH, {
    completes: state === 'any' ? 'computer' : `${state}-computer`,
  });

/** Runs an operation on a computer and returns the answer. */
export async function onComputer<N extends OperationName>(
  context: Context,
  operation: N,
  computer: string,
  body?: BodyInput<N>,
  query?: QueryInput<N>,
) {
  const address = await computerAddress(context, computer);
  const client = await context.client();
  return client.requestAny(operation, {
    params: computerParameters(address),
    body,
    ...(query === undefined ? {} : { query }),
    signal: context.interrupts.signal,
  });
}

/** Runs an action; prints the answer only with --json. */
export async function act<N extends OperationName>(
  context: Context,
  operation: N,
  computer: string,
  body: BodyInput<N>,
): Promise<void> {
  const progress = context.progress(`${operation} in ${computer}`);
  const answer = await during(progress, onComputer(context, operation, computer, body));
  if (context.globals.json) await printJson(context, answer);
}

export type Change = 'startComputer' | 'stopComputer' | 'restartComputer' | 'deleteComputer';

export interface ChangeOptions<N extends Change>
  extends Pick<ForEach<unknown>, 'names' | 'doing' | 'asList'> {
  readonly did: string;
  /** The status that the operation leads to, if a computer may have it before. */
  readonly leadsTo?: 'running' | 'stopped';
  /** Ids by name, if the names need not be looked up. */
  readonly ids?: ReadonlyMap<string, string>;
  readonly query?: QueryInput<N>;
  /** Called with the answer of the service, for example to wait for a status. */
  after?(answer: Answer<N>): Promise<Answer<N>>;
}

/** Changes the status of one or more computers and prints each result. */
export async function change<N extends Change>(
  context: Context,
  operation: N,
  options: ChangeOptions<N>,
): Promise<number> {
  const { names, doing, did, leadsTo, query, after, ids, asList } = options;
  // All names are resolved before the first computer is changed.
  const addresses = await Promise.all(
    names.map((name) => (ids === undefined ? computerAddress(context, name) : undefined)),
  );
  const shown = new Map(names.map((name, index) => [name, addresses[index]] as const));
  const [only = ''] = names;
  const first = ids === undefined ? inCommands(context, only) : shellWord(only);
  context.whenInterrupted(`the service may still be working on it; see: vc get ${first}`);
  const saysWhatItDid = !context.globals.json && !context.globals.quiet;
  const unchanged = new Set<string>();
  return forEach(context, {
    names,
    doing,
    asList,
    work: async (name) => {
      if (leadsTo !== undefined && saysWhatItDid) {
        // The operation itself reports an error.
        const before = await onComputer(context, 'getComputer', name).catch(() => undefined);
        if (before?.status === leadsTo) unchanged.add(name);
      }
      const answer = await onComputer(context, operation, ids?.get(name) ?? name, undefined, query);
      return after === undefined ? answer : after(answer);
    },
    did: (name) => {
      const address = shown.get(name);
      const which = address === undefined ? name : describeAddress(address);
      return unchanged.has(name) ? `${which} is ${leadsTo} already` : `${did} ${which}`;
    },
  });
}
