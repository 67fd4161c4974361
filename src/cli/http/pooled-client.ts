import { Client } from '../../client/client.js';
import { type ClientSettings, clientOptions } from '../targets/client.js';
import { openPool } from './pool.js';

/** A client for commands that send several requests and need not start quickly. */
export function openPooledClient(settings: ClientSettings): Client {
  return new Client(clientOptions(settings), async (...origin) => openPool(...origin));
}
