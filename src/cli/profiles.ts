import { UnknownProfileError } from '../profile/index.js';
import type { Context } from './context.js';

/** The error for a profile that is not there, with those that are. */
export async function unknownProfile(context: Context, name: string): Promise<Error> {
  const { profiles } = await context.profiles().read();
  return new UnknownProfileError(name, Object.keys(profiles));
}
