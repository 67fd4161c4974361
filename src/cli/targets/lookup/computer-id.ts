import { computerParameters } from '../../../client/http/address.js';
import type { Context } from '../../framework/context.js';
import { request } from '../client.js';
import { computerAddress, isComputerId } from '../computer-address.js';

/** The id of a computer given by name or id; a whole id as it is, which may be of a deleted one. */
export async function computerId(context: Context, text: string): Promise<string> {
  if (isComputerId(text)) return text;
  const params = computerParameters(await computerAddress(context, text));
  return (await request(context, 'getComputer', { params })).id;
}
