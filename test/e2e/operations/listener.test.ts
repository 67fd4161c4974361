import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect } from 'vitest';
import { UntrustedListenerError, VirtualComputers } from '../../../src/client/index.js';
import { promise } from '../../support/run/promise.js';
import { openTestService, type TestService } from '../../support/service/service.js';

/** An unprivileged user, who takes the port of a stopped service. */
const NOBODY = 65_534;
const reason =
  process.platform === 'linux' && process.geteuid?.() === 0
    ? undefined
    : 'listening as another user needs root on Linux';

/** Prints a line when it listens, then everything that it receives; answers like the service. */
const THIEF = `
  const server = require('node:net').createServer((socket) => {
    socket.on('data', (data) => {
      process.stdout.write(data.toString());
      socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 15\\r\\n\\r\\n{"projects":[]}');
    }).on('error', () => {});
  });
  server.listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'));
`;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

promise.unless(reason)(
  25,
  "another user who takes a stopped service's port receives nothing",
  async (report) => {
    const { baseUrl, apiKey } = service;
    const commands = [
      ['project', 'ls'],
      ['exec', 'demo/desktop', '--', 'id'],
    ];
    await service.kill('SIGTERM');
    const thief = spawn(process.execPath, ['-e', THIEF, new URL(baseUrl).port], {
      ...{ uid: NOBODY, gid: NOBODY, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
    });
    const exited = once(thief, 'exit');
    let seen = '';
    thief.stdout?.on('data', (data) => {
      seen += data;
    });
    const vc = new VirtualComputers({ baseUrl, apiKey });
    try {
      if (thief.stdout) await once(thief.stdout, 'data');
      for (const command of commands) {
        const { code, stdout, stderr } = await service.cli(command);
        expect(code, `vc ${command.join(' ')}\n${stderr}`).not.toBe(0);
        expect(stdout).toBe('');
        expect(stderr, command.join(' ')).toContain(`${NOBODY}`);
      }
      const desktop = vc.computer({ id: 'cmp_1' });
      for (const send of [() => vc.projects.list(), () => desktop.process({ argv: ['id'] })]) {
        await expect(send()).rejects.toBeInstanceOf(UntrustedListenerError);
      }
      expect(seen).toBe('listening\n');
      // With the check switched off, this listener would have received it.
      const env = { VC_LISTENER_UID: `${NOBODY}` };
      expect(await service.cli(['project', 'ls'], { env })).toMatchObject({ code: 0 });
      expect(seen).toContain(apiKey);
    } finally {
      await vc.close();
      thief.kill('SIGKILL');
      await exited;
      await service.start();
    }
    // The service has its port again, and the client trusts it.
    const own = new VirtualComputers({ baseUrl, apiKey });
    expect(await own.projects.list()).toEqual([]);
    await own.close();
    report(`${commands.length} commands and 2 calls of the client, nothing sent`);
  },
);
