import { Client, type ClientOptions } from '../client/client.js';

/** A client that says who it is: the command line. Throws TypeError as {@link Client} does. */
export function openClient(options: Pick<ClientOptions, 'baseUrl' | 'apiKey'>): Client {
  return new Client({ ...options, userAgent: 'vc', connections: 'brief' });
}
