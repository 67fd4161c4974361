/**
 * Measures the service on this machine, compared with `docker exec` on the same container in the
 * same run. Requires a Docker Engine with the Linux image and a built `dist`:
 *
 *   npm run build && node bench/run.js
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { row, sample } from './measure.js';
import { memory, withService } from './service.js';

const run = promisify(execFile);

await withService({ flags: ['--max-running', '4'] }, async ({ baseUrl, apiKey, pid }) => {
  const client = new Client(new URL(baseUrl).origin);
  const authorization = `Bearer ${apiKey}`;
  async function call(method, path, body, accept = 'application/json') {
    const answer = await client.request({
      method,
      path: `/api${path}`,
      headers: { authorization, accept, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    if (answer.statusCode === 200 && accept !== 'application/json') {
      return Buffer.from(await answer.body.arrayBuffer());
    }
    const json = await answer.body.json();
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  }

  const made = [];
  made.push((await call('POST', '/projects/bench/computers', { name: 'bench' })).id);
  const creations = [];
  const deletions = [];
  for (let i = 0; i < 11; i++) {
    const startedAt = performance.now();
    const computer = await call('POST', '/projects/bench/computers', { name: `alone-${i}` });
    creations.push(performance.now() - startedAt);
    const deleting = performance.now();
    await call('DELETE', `/computers/${computer.id}`);
    deletions.push(performance.now() - deleting);
  }
  const { id: second } = await call('POST', '/projects/bench/computers', { name: 'second' });
  const running = memory(pid, 'VmRSS');
  await call('DELETE', `/computers/${second}`);
  const [id] = made;
  const container = `vc-${id}`;
  const C = `/computers/${id}`;
  const exec = (...args) => run('docker', ['exec', container, ...args], { encoding: 'buffer' });
  const bash = async (command) => {
    const result = await call('POST', `${C}/bash`, { command });
    if (result.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(result)}`);
    return result.stdout;
  };
  await sleep(2000);
  const report = [row('create to ready', creations), row('delete', deletions)];

  const clicks = await sample(300, (i) =>
    call('POST', `${C}/click`, { x: 600 + (i % 50), y: 400 }),
  );
  const xdotool = await sample(10, () =>
    exec('env', 'DISPLAY=:0', 'xdotool', 'mousemove', '600', '400', 'click', '1'),
  );
  report.push(row('click', clicks, { name: 'docker exec xdotool', times: xdotool }));

  await call('POST', `${C}/key`, { key: 'Escape' });
  await sleep(500);
  const shot = () => call('GET', `${C}/screenshot`, undefined, 'image/png');
  const still = await sample(100, shot);
  // A terminal that prints constantly, so that nearly every screenshot differs.
  await bash(
    "xterm -geometry 40x10+100+100 -e 'while :; do date +%N; sleep 0.005; done' >/dev/null 2>&1 & sleep 1",
  );
  const changing = await sample(100, shot);
  const scrot = await sample(10, () =>
    exec('sh', '-c', 'DISPLAY=:0 scrot -o /tmp/bench.png && cat /tmp/bench.png'),
  );
  await bash('pkill -x xterm');
  const against = { name: 'docker exec scrot', times: scrot };
  report.push(row('screenshot, plain desktop', still, against));
  report.push(row('screenshot, a terminal printing', changing, against));

  const commands = await sample(200, () => call('POST', `${C}/bash`, { command: 'true' }));
  const dockerTrue = await sample(10, () => exec('true'));
  report.push(row('bash true', commands, { name: 'docker exec true', times: dockerTrue }));

  await bash(
    'xterm -geometry 100x30 -e "stty -icanon -echo; cat > /tmp/bench.txt" >/dev/null 2>&1 &',
  );
  await bash(
    'until xdotool search --onlyvisible --class xterm && test -e /tmp/bench.txt; do sleep 0.05; done',
  );
  await call('POST', `${C}/wait`, { until: 'stable' });
  const ascii = 'The quick brown fox jumps. 0123456789 '.repeat(14).slice(0, 500);
  const mixed = [...'Grüße Привет 中文 العربية 👍🏽 naïve '.repeat(30)].slice(0, 500).join('');
  for (const [name, text] of [
    ['type 500 ASCII characters', ascii],
    ['type 500 mixed Unicode characters', mixed],
  ]) {
    await bash(': > /tmp/bench.txt');
    const times = await sample(10, () => call('POST', `${C}/type`, { text }), 0);
    await sleep(500);
    const got = await bash('cat /tmp/bench.txt');
    const exact = got.replaceAll('\0', '') === text.repeat(10) ? 'exact' : 'NOT EXACT';
    report.push(row(`${name} (${exact})`, times));
  }

  const after = memory(pid, 'VmRSS');
  console.table(report);
  console.log(
    `service memory (RSS): ${running} MB with 2 running computers, ${after} MB at the end`,
  );
  await client.close();
});
