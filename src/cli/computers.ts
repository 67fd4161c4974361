import { computerParameters } from '../client/address.js';
import type { Answer, BodyInput, OperationName, QueryInput } from '../contract/index.js';
import { computerAddress, describeAddress, inCommands } from './address.js';
import type { Context } from './context.js';
import { argument, many } from './define.js';
import { type Each, forEach } from './each.js';
import { printJson } from './output.js';
import { text } from './parse.js';
import { during } from './progress.js';

/** The computer that a command is about. */
export const computerArgument = argument('computer', 'PROJECT/NAME, a name or an id', text, {
  completes: 'computer',
});

/** The computer that a command works in, which has to run for it. */
export const runningComputer = { ...computerArgument, completes: 'running-computer' } as const;

/** One or more computers, in the state in which the command makes sense. */
export const computersArgument = (state: 'any' | 'running' | 'stopped') =>
  many('computer', 'PROJECT/NAME, names or ids', {
    completes: state === 'any' ? 'computer' : `${state}-computer`,
  });

/** Runs an operation on a computer and hands back the service's answer. */
export async function onComputer<N extends OperationName>(
  context: Context,
  operation: N,
  computer: string,
  body?: BodyInput<N>,
  query?: QueryInput<N>,
) {
  const address = await computerAddress(context, computer);
  const client = await context.client();
  return client.request(operation, {
    params: computerParameters(address),
    body,
    ...(query === undefined ? {} : { query }),
    signal: context.interrupts.signal,
  });
}

/** An action that answers nothing but success: silent, or the answer with --json. */
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

type Change = 'startComputer' | 'stopComputer' | 'restartComputer' | 'deleteComputer';

interface ChangeEach<N extends Change> extends Pick<Each<unknown>, 'names' | 'doing'> {
  readonly did: string;
  readonly query?: QueryInput<N>;
  /** What is waited for when the service has answered. */
  after?(answer: Answer<N>): Promise<Answer<N>>;
}

/** A change of state of one or more computers, each said when it is there. */
export async function change<N extends Change>(
  context: Context,
  operation: N,
  each: ChangeEach<N>,
): Promise<number> {
  // Every name has to be understood before the first is changed.
  const addresses = await Promise.all(each.names.map((name) => computerAddress(context, name)));
  const shown = new Map(each.names.map((name, i) => [name, addresses[i]] as const));
  const goesOn = `the service goes on with what it has begun; see: vc computer get ${inCommands(context, each.names[0] ?? '')}`;
  context.whenInterrupted(goesOn);
  return forEach(context, {
    kind: 'computer',
    names: each.names,
    doing: each.doing,
    work: async (name) => {
      const answer = await onComputer(context, operation, name, undefined, each.query);
      return each.after === undefined ? answer : each.after(answer);
    },
    did: (name) => {
      const address = shown.get(name);
      return `${each.did} ${address === undefined ? name : describeAddress(address)}`;
    },
  });
}
