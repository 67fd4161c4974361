import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { otherConfig } from '../../../src/cli/ssh/config-file.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
let ssh: string;
beforeEach(async () => {
  world = await openWorld();
  ssh = join(world.directory, '.ssh');
  const identity = join(world.directory, 'config/ssh/identity');
  mkdirSync(identity, { recursive: true });
  writeFileSync(join(identity, 'id_ed25519.pub'), 'ssh-ed25519 AAAA vc\n');
});
afterEach(() => world.close());

const run = async (...argv: string[]) => {
  const outcome = await world.run(['ssh-config', ...argv]);
  expect(outcome).toMatchObject({ code: 0 });
  return outcome;
};
const read = (name: string) => readFileSync(join(ssh, name), 'utf8');
const mode = (name: string) => statSync(join(ssh, name)).mode & 0o777;

test('writes a block for all computers and includes it once, at the top', async () => {
  mkdirSync(ssh);
  const own = '# mine\nHost *\n\tUser me\n';
  writeFileSync(join(ssh, 'config'), own, { mode: 0o640 });
  await run();
  expect((await run()).stderr).not.toContain('included');
  expect(read('config')).toBe(`Include ${ssh}/vc_config\n\n${own}`);
  expect(read('vc_config')).toMatch(
    /^Match originalhost "\*\.vc,!\*'\*" user "\*,!\*'\*"\n {2}User user\n {2}ProxyCommand '/m,
  );
  expect(read('vc_config')).toBe((await run('--print')).stdout);
  expect([mode('config'), mode('vc_config')]).toEqual([0o640, 0o600]);
  await run('--remove');
  expect(read('config')).toBe(own);
  expect(mode('config')).toBe(0o640);
  expect(existsSync(join(ssh, 'vc_config'))).toBe(false);
});

test('names the file to ssh where HOME is not the directory that ssh reads', async () => {
  const { stderr } = await run();
  expect(stderr).toContain(`ssh itself reads ${userInfo().homedir}/.ssh/config`);
  expect(stderr).toContain(`ssh -F ${ssh}/config NAME.PROJECT.vc`);
  expect(otherConfig({ ours: '', config: join(userInfo().homedir, '.ssh/config') })).toBe(
    undefined,
  );
});

test('makes ~/.ssh if it is missing, and leaves no empty file', async () => {
  await run();
  expect(statSync(ssh).mode & 0o777).toBe(0o700);
  expect(mode('config')).toBe(0o600);
  await run('--remove');
  expect(existsSync(join(ssh, 'config'))).toBe(false);
  expect((await run('--remove')).stderr).toContain('there is no ');
});

test('follows a link to the file', async () => {
  mkdirSync(ssh);
  const target = join(world.directory, 'dotfiles-ssh');
  writeFileSync(target, 'Host a\n');
  symlinkSync(target, join(ssh, 'config'));
  await run();
  expect(lstatSync(join(ssh, 'config')).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe(`Include ${ssh}/vc_config\n\nHost a\n`);
  await run('--remove');
  expect(readFileSync(target, 'utf8')).toBe('Host a\n');
});

test('--print writes nothing, and has the profile that is named', async () => {
  const { stdout } = await run('--print', '--base-url', 'http://vc.example.com/100%/api');
  expect(stdout).toContain(
    ` '--base-url' 'http://vc.example.com/100%%/api' 'ssh-proxy' '%n' '%r'\n`,
  );
  expect(existsSync(ssh)).toBe(false);
  expect(await world.run(['ssh-config', '--print', '--remove'])).toMatchObject({ code: 2 });
});
