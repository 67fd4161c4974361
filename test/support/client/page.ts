import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'rolldown';
import type { Target } from './checks.js';

const CHECKS = fileURLToPath(new URL('./checks.ts', import.meta.url));
const BUNDLE = new URL('../../../clients/typescript/dist/browser.mjs', import.meta.url);

const HTML = `<!doctype html><title>client</title><script type="module">
  import * as client from './client.mjs';
  import { clientChecks } from './checks.mjs';
  globalThis.openChecks = (target) => { globalThis.checks = clientChecks(client, target); };
</script>`;

/**
 * Serves a page with the bundle of the package and its checks at `origin`, an address of this host:
 * browsers let no other page ask a service on it.
 */
export async function serveClientPage(origin: string): Promise<Server> {
  const { output } = await build({ input: CHECKS, write: false, logLevel: 'warn' });
  const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/': ['text/html', HTML],
    '/client.mjs': ['text/javascript', readFileSync(BUNDLE, 'utf8')],
    '/checks.mjs': ['text/javascript', output[0].code],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? [];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' });
    response.end(body);
  });
  server.listen(Number(new URL(origin).port), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Opens a page of {@link serveClientPage} whose checks have the target. */
export async function openClientPage(browser: Browser, origin: string, target: Target) {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  await page.waitForFunction('globalThis.openChecks !== undefined');
  await page.evaluate(`openChecks(${JSON.stringify(target)})`);
  return page;
}
