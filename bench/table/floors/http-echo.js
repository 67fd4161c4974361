import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'undici';

const PROGRAM = new URL('./echo-server.js', import.meta.url).pathname;

/** A bare HTTP server of Node.js in a process of its own. */
export async function openHttpEcho() {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${String(line).trim()}`;
  const client = new Client(url);
  return {
    url,
    get: async () => {
      const { body } = await client.request({ method: 'GET', path: '/' });
      await body.arrayBuffer();
    },
    close: async () => {
      await client.close();
      child.kill();
    },
  };
}
