import { UnknownProfileError } from '../../profile/index.js';
import type { Context } from '../framework/context.js';

/** The error for an unknown profile, with the known ones. */
export async function unknownProfile(context: Context, name: string): Promise<Error> {
  const { profiles } = await context.profiles().read();
  return new UnknownProfileError(name, Object.keys(profiles));
}
