import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { makeCertificate } from './certificate.js';
import { PROXY_HOST } from './proxy-host.js';

export interface TlsProxy {
  /** `https://vc.example.com:PORT`; its certificate is of no authority that a client knows. */
  readonly origin: string;
  close(): void;
}

/**
 * Ends TLS in front of a service, as docs/deploy.md describes it; without the service it hangs up. The
 * browser of the tests finds the name on this machine.
 */
export async function openTlsProxy(baseUrl: string): Promise<TlsProxy> {
  const { hostname: host, port } = new URL(baseUrl);
  const headersOf = ({ headers }: IncomingMessage) => ({
    ...headers,
    'x-forwarded-proto': 'https',
  });
  const server = createServer(makeCertificate(PROXY_HOST), (asked, answer) => {
    const { method = 'GET', url: path = '/' } = asked;
    const to = { host, port, method, path, headers: headersOf(asked), agent: false };
    const passed = request(to, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer).on('error', () => undefined);
      given.on('error', () => answer.destroy());
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.on('upgrade', (asked, client, head) => {
    const service = connect(Number(port), host, () => {
      const lines = Object.entries(headersOf(asked)).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      service.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
      service.write(head);
      service.pipe(client).pipe(service);
    });
    for (const [from, to] of [
      [service, client],
      [client, service],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://${PROXY_HOST}:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
