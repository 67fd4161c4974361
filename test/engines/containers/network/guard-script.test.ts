// @module-tag thorough
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ComputerNetwork } from '../../../../src/contract/resources/network.js';
import { bridgePrefix } from '../../../../src/engines/containers/ids.js';
import { tableName } from '../../../../src/engines/containers/network/firewall-rules.js';
import {
  guardCommand,
  POLICY_DIRECTORY,
} from '../../../../src/engines/containers/network/guard-script.js';
import { policyOf } from '../../../../src/engines/containers/network/policies.js';
import { eventually } from '../../../support/eventually.js';
import { describeUnless } from '../../../support/run/needs.js';
import { promise } from '../../../support/run/promise.js';
import { thorough } from '../../../support/run/tiers.js';

const namespace = `vcguard${process.pid}`;
/** Of a machine that is connected to the bridge. */
const machine = `${namespace}m`;
const policy = { serviceId: 'svc_1', internet: true, allowNetworks: [], resolvers: [] };
const table = ['inet', tableName(policy.serviceId)];
const bridge = `${bridgePrefix(policy.serviceId)}000000001`;

const inside = (...command: string[]) => execa('ip', ['netns', 'exec', namespace, ...command]);
const inMachine = (...command: string[]) => execa('ip', ['netns', 'exec', machine, ...command]);
const rules = () => inside('nft', 'list', 'table', ...table).then(({ stdout }) => stdout);
const isUp = async () => /[<,]UP[,>]/.test((await inside('ip', 'link', 'show', bridge)).stdout);

let guard: ChildProcessWithoutNullStreams | undefined;
let lines: Interface;

async function startGuard(command: readonly string[]): Promise<void> {
  guard = spawn('ip', ['netns', 'exec', namespace, ...command]);
  lines = createInterface({ input: guard.stdout });
  await once(lines, 'line');
}

const policies = () => mkdtempSync(join(tmpdir(), 'vc-policies-'));

/** Starts a guard in place of the last one, with the policies in a directory. */
async function startWith(directory: string): Promise<void> {
  guard?.kill('SIGKILL');
  await startGuard(
    guardCommand(policy).map((part) => (part === POLICY_DIRECTORY ? directory : part)),
  );
}

async function check(name: string): Promise<string> {
  guard?.stdin.write(`${name}\n`);
  for (;;) {
    const [line] = (await once(lines, 'line')) as [string];
    if (line.startsWith(name)) return line;
  }
}

const SERVER = `
  require('node:net').createServer((socket) => socket.on('error', () => {})).listen(5000, '10.99.0.1', () => console.log('ready'));
`;
/** Prints how many of 60 connections are made, and how many are open after 10 of them were replaced. */
const CLIENT = `
  const { connect } = require('node:net');
  const open = new Set();
  const begin = () => {
    const socket = connect(5000, '10.99.0.1').on('error', () => {});
    socket.on('connect', () => open.add(socket)).on('close', () => open.delete(socket));
    setTimeout(() => open.has(socket) || socket.destroy(), 500);
  };
  for (let i = 0; i < 60; i++) begin();
  setTimeout(() => {
    console.log(open.size);
    for (const socket of [...open].slice(0, 10)) socket.resetAndDestroy();
    const trying = setInterval(begin, 50);
    setTimeout(() => {
      clearInterval(trying);
      console.log(open.size);
      process.exit();
    }, 3000);
  }, 600);
`;

/** Makes five connections from each of two addresses, and keeps them. */
const HOLDER = `
  const { connect } = require('node:net');
  let open = 0;
  process.stdin.once('data', () => {
    for (let i = 0; i < 10; i++) {
      const localAddress = i % 2 ? '10.213.0.2' : '10.213.0.6';
      const socket = connect({ port: 5000, host: '10.99.0.1', localAddress }).on('error', () => {});
      socket.on('connect', () => ++open === 10 && console.log('open'));
    }
  });
`;

const hasNamespaces = await execa('ip', ['netns', 'add', namespace])
  .then(
    () => execa('ip', ['netns', 'exec', namespace, 'nft', 'list', 'tables']).then(() => true),
    () => false,
  )
  .catch(() => false);

describeUnless(hasNamespaces ? undefined : 'needs root, network namespaces and nft')(
  'the firewall container',
  () => {
    beforeAll(async () => {
      await inside('ip', 'link', 'add', bridge, 'type', 'bridge');
      await inside('ip', 'link', 'set', bridge, 'up');
      await inside('ip', 'address', 'add', '10.99.0.1/24', 'dev', bridge);
      await execa('ip', ['netns', 'add', machine]);
      const link = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', machine];
      await inside('ip', 'link', 'add', 'vcguard0', 'master', bridge, 'up', ...link);
      await inMachine('ip', 'address', 'add', '10.99.0.2/24', 'dev', 'eth0');
      await inMachine('ip', 'link', 'set', 'eth0', 'up');
    });
    afterAll(async () => {
      guard?.kill('SIGKILL');
      await execa('ip', ['netns', 'del', namespace]);
      await execa('ip', ['netns', 'del', machine]).catch(() => undefined);
    });

    promise(
      27,
      'restores a removed or changed table within 10 s and on request',
      async (report) => {
        await startGuard(guardCommand(policy));
        const original = await rules();
        const removedAt = Date.now();
        await inside('nft', 'flush', 'ruleset');
        await eventually(async () => (await rules().catch(() => '')) === original, 10_000);
        report(`restored after ${((Date.now() - removedAt) / 1000).toFixed(1)} s`);
        for (const change of [
          ['delete', 'table', ...table],
          ['flush', 'chain', ...table, 'to_host'],
          ['insert', 'rule', ...table, 'input', 'accept'],
          ['add', 'element', ...table, 'allowed_hosts', '{ 10.0.0.1 }'],
          ['flush', 'set', ...table, 'closed'],
        ]) {
          // The next periodic check begins two seconds later.
          await check('before');
          await inside('nft', ...change);
          expect(await rules().catch(() => '')).not.toBe(original);
          expect(await check(change.join('-'))).toMatch(/ ok$/);
          expect(await rules()).toBe(original);
        }
      },
      30_000,
    );

    promise(
      27,
      'takes the bridges down while it cannot restore the rules',
      async () => {
        guard?.kill('SIGKILL');
        const [program = '', flag = '', script = '', ...rest] = guardCommand(policy);
        // Simulates a kernel that rejects rules while the interface refuse0 exists.
        const fakeNft = `nft() { [ -e /proc/sys/net/ipv4/conf/refuse0 ] && { echo no; return 1; }; command nft "$@"; }\n`;
        await startGuard([program, flag, `${fakeNft}${script}`, ...rest]);
        expect(await isUp()).toBe(true);
        await inside('ip', 'link', 'add', 'refuse0', 'type', 'bridge');
        expect(await check('broken')).toBe('broken failed no');
        expect(await isUp()).toBe(false);
        await inside('ip', 'link', 'del', 'refuse0');
        expect(await check('repaired')).toBe('repaired ok');
        expect(await isUp()).toBe(true);
      },
      30_000,
    );

    promise(
      27,
      'does not accept a change made while it loads the rules',
      async () => {
        guard?.kill('SIGKILL');
        const [program = '', flag = '', script = '', ...rest] = guardCommand(policy);
        // Another program opens an address right after the rules are loaded, twice.
        const change = `command nft add element ${table.join(' ')} allowed_hosts '{ 10.0.0.1 }'`;
        const link = (name: string) => `ip link add ${name} type bridge 2>/dev/null`;
        const twice = `{ ${link('twice0')} || ${link('twice1')}; }`;
        const loads = `"table ${table.join(' ')}"*`;
        const nft = `nft() { command nft "$@" || return; case $1 in ${loads}) ${twice} && ${change}; true ;; esac; }\n`;
        await startGuard([program, flag, `${nft}${script}`, ...rest]);
        expect(await rules()).not.toContain('10.0.0.1');
        await inside('nft', 'add', 'element', ...table, 'allowed_hosts', '{ 10.0.0.2 }');
        expect(await check('changed')).toBe('changed ok');
        expect(await rules()).not.toMatch(/10\.0\.0\.[12]/);
      },
      30_000,
    );

    promise(
      32,
      'takes the bridge of a machine down whose policy cannot be loaded',
      async () => {
        const directory = policies();
        try {
          await startWith(directory);
          const set = async (name: string, text: string) => {
            guard?.stdin.write(`policy ${name} ${bridge} ${text} -\n`);
            const [line] = (await once(lines, 'line')) as [string];
            return line;
          };
          const wrong = Buffer.from('table inet x { wrong').toString('base64');
          expect(await set('one', wrong)).toMatch(/^one failed .*syntax error/);
          // Something else may bring it up, and the service sends it again after a new connection.
          await inside('ip', 'link', 'set', bridge, 'up');
          expect(await check('rules')).toBe('rules ok');
          expect(await isUp()).toBe(false);
          expect(await set('again', wrong)).toMatch(/^again failed .*syntax error/);
          expect(await isUp()).toBe(false);
          const { rules: right } = policyOf('none', { serviceId: 'svc_1', bridge, resolvers: [] });
          expect(await set('two', Buffer.from(right).toString('base64'))).toBe('two ok');
          expect(await isUp()).toBe(true);
          expect(await set('three', '-')).toBe('three ok');
          expect((await inside('nft', 'list', 'tables', 'inet')).stdout).toBe(
            `table ${table.join(' ')}`,
          );
        } finally {
          rmSync(directory, { recursive: true });
        }
      },
      30_000,
    );

    thorough(
      'leaves the queues of an earlier guard, and lays others when they change',
      async () => {
        const [first, second] = [policies(), policies()];
        const internet = { serviceId: 'svc_1', bridge, resolvers: [] };
        const base64 = (text: string) => Buffer.from(text).toString('base64');
        const set = async (name: string, network: ComputerNetwork) => {
          const { rules: text, throttle } = policyOf(network, internet);
          const queues = throttle === '' ? '-' : base64(throttle);
          guard?.stdin.write(`policy ${name} ${bridge} ${base64(text)} - ${queues}\n`);
          expect(((await once(lines, 'line')) as [string])[0]).toBe(`${name} ok`);
        };
        const queues = async () => (await inside('tc', 'qdisc', 'show', 'dev', 'vcguard0')).stdout;
        /** It is another one when the queues have been laid again. */
        const received = async () =>
          (await inside('ip', '-o', 'link', 'show', 'type', 'ifb')).stdout.split(':')[0];
        try {
          await startWith(first);
          await set('one', { internet: true, rate: '1mbit' });
          expect(await queues()).toMatch(/tbf 7: root .*rate 1Mbit/);
          const index = await received();
          await startWith(second);
          await set('two', { internet: true, rate: '1mbit' });
          expect(await received()).toBe(index);
          await set('three', { internet: true, rate: '2mbit' });
          expect(await queues()).toContain('rate 2Mbit');
          expect(await received()).not.toBe(index);
          // As with a new veth.
          await inside('tc', 'qdisc', 'del', 'dev', 'vcguard0', 'root');
          await check('laid');
          expect(await queues()).toContain('rate 2Mbit');
          await set('four', 'internet');
          expect(await queues()).not.toContain('7: root');
          expect(await received()).toBe('');
        } finally {
          for (const directory of [first, second]) rmSync(directory, { recursive: true });
        }
      },
      60_000,
    );

    promise(
      32,
      'keeps the addresses in a table of an earlier guard, and removes tables that nobody wants',
      async () => {
        const [first, second] = [policies(), policies()];
        const send = async (line: string) => {
          guard?.stdin.write(`${line}\n`);
          return ((await once(lines, 'line')) as [string])[0];
        };
        const names = { allow: ['example.com'] };
        const { rules: text } = policyOf(names, { serviceId: 'svc_1', bridge, resolvers: [] });
        const set = `${bridge} ${Buffer.from(text).toString('base64')} -`;
        const ofMachine = `${tableName(policy.serviceId)}_000000001`;
        const address = async () =>
          (await inside('nft', 'list', 'table', 'inet', ofMachine)).stdout.includes('192.0.2.7');
        try {
          await startWith(first);
          expect(await send(`policy one ${set}`)).toBe('one ok');
          await inside('nft', 'add', 'element', 'inet', ofMachine, 'names', '{ 192.0.2.7 }');
          await startWith(second);
          expect(await send(`keep kept ${bridge}`)).toBe('kept ok');
          expect(await send(`policy two ${set}`)).toBe('two ok');
          expect(await address()).toBe(true);
          await inside('nft', 'flush', 'chain', 'inet', ofMachine, 'forward');
          expect(await check('restored')).toBe('restored ok');
          expect(await address()).toBe(false);
          await startWith(first);
          expect(await send('keep none')).toBe('none ok');
          const { stdout } = await inside('nft', 'list', 'tables', 'inet');
          expect(stdout).toBe(`table ${table.join(' ')}`);
        } finally {
          for (const directory of [first, second]) rmSync(directory, { recursive: true });
        }
      },
      30_000,
    );

    thorough(
      'holds as many connections of a machine as it may have open, and new ones when some end',
      async () => {
        guard?.kill('SIGKILL');
        const open = { ...policy, allowNetworks: ['10.99.0.1/32'] };
        const command = guardCommand(open).map((part) =>
          part.replace('count over 4096', 'count over 40'),
        );
        await startGuard(command);
        const server = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', SERVER]);
        try {
          await once(server.stdout, 'data');
          const { stdout } = await inMachine(process.execPath, '-e', CLIENT);
          expect(stdout.split('\n')).toEqual(['40', '40']);
        } finally {
          server.kill('SIGKILL');
        }
      },
    );

    thorough(
      'removes the connections of networks that are gone, and no others, when there are many',
      async () => {
        guard?.kill('SIGKILL');
        const networks = ['10.213.0.0/30', '10.213.0.4/30'];
        await inside('ip', 'address', 'add', '10.213.0.1/30', 'dev', bridge);
        await inside('ip', 'address', 'add', '10.213.0.5/30', 'dev', bridge);
        await inMachine('ip', 'address', 'add', '10.213.0.2/30', 'dev', 'eth0');
        await inMachine('ip', 'address', 'add', '10.213.0.6/30', 'dev', 'eth0');
        const open = { ...policy, allowNetworks: ['10.99.0.1/32'] };
        const command = guardCommand(open);
        const server = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', SERVER]);
        const client = spawn('ip', ['netns', 'exec', machine, process.execPath, '-e', HOLDER]);
        const tracked = async () => {
          const table = await inside('cat', '/proc/net/nf_conntrack');
          return networks.map(
            (_, at) => table.stdout.split(`src=10.213.0.${4 * at + 2} `).length - 1,
          );
        };
        try {
          await Promise.all([once(server.stdout, 'data'), startGuard(command)]);
          client.stdin.write('go');
          await once(client.stdout, 'data');
          expect(await tracked()).toEqual([5, 5]);
          guard?.kill('SIGKILL');
          await inside('ip', 'address', 'del', '10.213.0.5/30', 'dev', bridge);
          // As if a quarter of the table were in use.
          await startGuard(
            command.map((part) => part.replace('entries * 4 > most', 'entries > 1')),
          );
          await eventually(async () => (await tracked())[1] === 0, 15_000);
          expect(await tracked()).toEqual([5, 0]);
        } finally {
          client.kill('SIGKILL');
          server.kill('SIGKILL');
        }
      },
    );

    promise(27, 'removes the table when it is asked to end', async () => {
      guard?.stdin.write('end\n');
      await once(lines, 'line');
      await expect(rules()).rejects.toThrow();
    });
  },
);
