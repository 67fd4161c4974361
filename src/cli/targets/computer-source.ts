import { type ComputerAddress, computerParameters } from '../../client/http/address.js';
import { CliError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { argument } from '../framework/define.js';
import { text } from '../input/parse.js';
import { isNotFound } from './client.js';
import { computerAddress, describeAddress } from './computer-address.js';

/** A computer as it is, or one of its snapshots. */
export interface ComputerSource {
  readonly address: ComputerAddress;
  readonly snapshot?: string;
}

export const sourceArgument = argument(
  'computer',
  'PROJECT/NAME, name or id; with @SNAPSHOT one of its snapshots',
  text,
  { completes: 'computer' },
);

/**
 * Parses `COMPUTER` or `COMPUTER@SNAPSHOT`. Names of computers may contain `@`: the text is split at the
 * last one, unless there is a computer of that name.
 */
export async function computerSource(context: Context, given: string): Promise<ComputerSource> {
  const at = given.lastIndexOf('@');
  if (at <= 0) return { address: await computerAddress(context, given) };
  const whole = await existing(context, given);
  if (whole !== undefined) return { address: whole };
  const address = await computerAddress(context, given.slice(0, at));
  return { address, snapshot: given.slice(at + 1) };
}

/** The source in messages. */
export function describeSource({ address, snapshot }: ComputerSource): string {
  return `${describeAddress(address)}${snapshot === undefined ? '' : `@${snapshot}`}`;
}

async function existing(context: Context, given: string): Promise<ComputerAddress | undefined> {
  try {
    const address = await computerAddress(context, given);
    const client = await context.client();
    const { signal } = context.interrupts;
    await client.request('getComputer', { params: computerParameters(address), signal });
    return address;
  } catch (error) {
    if (isNotFound(error) || (error instanceof CliError && error.code === 'not_found')) {
      return undefined;
    }
    throw error;
  }
}
