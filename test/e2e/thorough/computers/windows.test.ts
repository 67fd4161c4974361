import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildImage } from '../../../../src/engines/containers/images/build.js';
import { connectDocker } from '../../../../src/engines/docker/client.js';
import { eventually } from '../../../support/eventually.js';
import { addImage, warmImage } from '../../../support/qemu/seed.js';
import { untilRunning } from '../../../support/service/desktop.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

const MIXED = 'Grüße, é Ж 中文 日本語 한국어 Ελληνικά ½ € “quotes” ~!@#$%^&*()_+{}|:"<>?';

/** Different texts, to detect a program that pastes the text of an earlier call. */
const CALLS = [...'ЖДЛФЦШЩЭЮЯБГЗИЙПУЧЪЫЬαβγδεζηθλμ'];

/** Factor for the time limits: an emulated machine is slower. */
const SLOWDOWN = inject('engine') === 'docker' ? 1 : 8;

let service: TestService;
let id: string;

beforeAll(async () => {
  if (inject('engine') === 'qemu') {
    await addImage(inject('qemuSeed'), 'windows');
    await warmImage(inject('qemuSeed'), 'wine');
  } else {
    const socketPath = inject('dockerHost').replace('unix://', '');
    await buildImage(connectDocker({ socketPath }), { name: 'wine' });
  }
  service = await openTestService();
  await service.vc.projects.create('e2e');
  const { status, json } = await service.http('POST', '/projects/e2e/computers', {
    name: 'windows',
    os: 'windows',
  });
  if (status !== 200) throw new Error(`no computer: ${JSON.stringify(json)}`);
  id = json.id;
  await untilRunning(service, id);
});
afterAll(() => service?.close());

const act = async (action: string, body: object = {}) => {
  const { status, json } = await service.http('POST', `/computers/${id}/${action}`, body);
  if (status !== 200) throw new Error(`${action}: ${JSON.stringify(json)}`);
  return json;
};
const patiently: typeof eventually = (probe) => eventually(probe, 20_000 * SLOWDOWN);
const cmd = (command: string, more: object = {}) => act('bash', { command, ...more });
const stable = () => act('wait', { until: 'stable', timeout: 20 });
const python = async (code: string) => {
  const { output, error } = await act('exec', { code, timeout: 120 });
  if (error) throw new Error(error);
  return output as string;
};
/** Waits for a window with these words in its title, and until it is painted. */
const windowCalled = async (title: string) => {
  await patiently(async () => (await python(WINDOWS)).includes(title));
  // An unpainted window is black, and may lose typed text.
  await patiently(async () => (await blackShare()) < 0.02);
};
async function blackShare(): Promise<number> {
  const picture = await service.vc.computer({ id }).screenshot();
  const pixels = await sharp(picture).removeAlpha().raw().toBuffer();
  let black = 0;
  for (let i = 0; i < pixels.length; i += 3) {
    if (pixels.readUIntBE(i, 3) === 0) black += 1;
  }
  return (black * 3) / pixels.length;
}
const PROCESSES = `import subprocess
print(subprocess.run(['ps', '-eo', 'args'], capture_output=True, text=True).stdout)`;
const WINDOWS = `import subprocess
print(subprocess.run(['xwininfo', '-root', '-tree'], capture_output=True, text=True).stdout)`;

describe('a computer with os windows', () => {
  it('is shown as Wine, not Windows', async () => {
    const { json } = await service.http('GET', `/computers/${id}`);
    expect(json).toMatchObject({ os: 'windows', image: 'wine', status: 'running' });
    const { stdout } = await service.cli(['computer', 'get', 'e2e/windows']);
    expect(stdout).toContain('wine (runs Windows programs; not Windows itself)');
  });

  it('shows a desktop with a taskbar', async () => {
    const { success, waited } = await stable();
    expect({ success, waited: waited > 0 }).toEqual({ success: true, waited: true });
    // The Start button: more than one colour at the left end of the lowest line of the screen.
    const colours = await python(`import subprocess
subprocess.run(['scrot', '-o', '/tmp/screen.png'], check=True)
from os import stat
subprocess.run(['scrot', '-o', '--autoselect', '0,776,60,24', '/tmp/start.png'], check=True)
subprocess.run(['scrot', '-o', '--autoselect', '900,776,60,24', '/tmp/empty.png'], check=True)
print(stat('/tmp/start.png').st_size - stat('/tmp/empty.png').st_size)`);
    expect(Number(colours)).toBeGreaterThan(200);
  });
});

describe('commands', () => {
  it('are interpreted by cmd, with output, errors and exit code apart', async () => {
    expect(await cmd('echo out\necho err>&2\nexit /b 3')).toEqual({
      success: true,
      output: 'out\r\nerr\r\n',
      stdout: 'out\r\n',
      stderr: 'err\r\n',
      exit_code: 3,
      timed_out: false,
      truncated: false,
    });
  });

  it.each(['ver', 'cmd /c ver'])('%s answers a Windows version', async (command) => {
    const { stdout, exit_code } = await cmd(command);
    expect(stdout).toMatch(/Microsoft Windows \d+\.\d+/);
    expect(exit_code).toBe(0);
  });

  it('take the directory and variables, and any text, as UTF-8', async () => {
    const env = { WORDS: 'é Ж 中 👍' };
    const inside = await cmd('cd\necho %WORDS% Ж中é>words.txt\ntype words.txt', {
      cwd: 'C:\\users\\user',
      env,
    });
    expect(inside.stdout).toBe('C:\\users\\user\r\né Ж 中 👍 Ж中é\r\n');
    expect((await cmd('cd', { cwd: '/tmp' })).stdout).toBe('Z:\\tmp\r\n');
    const { status, json } = await service.http('POST', `/computers/${id}/bash`, {
      command: 'cd',
      cwd: 'C:\\no such folder',
    });
    expect(status).toBe(400);
    expect(json.error).toContain('no such folder');
  });

  it('run an .exe and pass on its exit code', async () => {
    expect((await cmd('hostname.exe')).stdout.trim()).not.toBe('');
    const bits32 = 'C:\\windows\\syswow64\\cmd.exe /c exit 5';
    expect((await cmd(bits32)).exit_code).toBe(5);
    expect(
      (await cmd('C:\\windows\\system32\\find.exe "nothing" C:\\windows\\win.ini')).exit_code,
    ).toBe(1);
  });

  it('are killed at their time-out with their children, and Wine keeps running', async () => {
    const result = await cmd('echo begun\nstart /wait winver', { timeout: 3 * SLOWDOWN });
    expect(result).toMatchObject({ timed_out: true, exit_code: null, stdout: 'begun\r\n' });
    await patiently(async () => !(await python(PROCESSES)).includes('winver'));
    expect((await cmd('ver')).exit_code).toBe(0);
  });

  it('do not appear in a process list', async () => {
    await cmd('rem top-secret-word\nstart /wait winver', { background: true });
    const processes = await patiently(async () => {
      const list = await python(PROCESSES);
      return list.includes('winver') && list;
    });
    expect(processes).not.toContain('top-secret-word');
    // A program that is just starting is in no process group yet.
    await patiently(async () => {
      await python(`import subprocess
subprocess.run(['pkill', '-f', 'winver'])`);
      return !(await python(PROCESSES)).includes('winver');
    });
  });
});

describe('programs with windows', () => {
  it(
    'save typed text byte for byte',
    async () => {
      // The command has exited; the program keeps running.
      expect((await cmd('start notepad')).exit_code).toBe(0);
      await windowCalled('Notepad');
      await stable();
      // The focus cannot be observed: repeat until the text is accepted completely.
      await patiently(async () => {
        await act('key', { key: 'ctrl+a' });
        const body = { text: `${MIXED}\nsecond line` };
        return (await service.http('POST', `/computers/${id}/type`, body)).status === 200;
      });
      await act('key', { key: 'ctrl+s' });
      await windowCalled('Save');
      await stable();
      const saved = async () => {
        const path = '/home/user/Documents/typed é.txt';
        const text = await python(`import os
path = '${path}'
print(open(path, 'rb').read().hex() if os.path.exists(path) else '')`);
        return text.trim() || undefined;
      };
      // The focus of the name field cannot be observed either.
      const text = await eventually(async () => {
        if ((await python(WINDOWS)).includes('Save')) {
          await act('key', { key: 'ctrl+a' });
          const body = { text: 'C:\\users\\user\\Documents\\typed é.txt\n' };
          await service.http('POST', `/computers/${id}/type`, body);
        }
        return eventually(saved, 5_000 * SLOWDOWN).catch(() => undefined);
      }, 60_000 * SLOWDOWN).catch(async (cause) => {
        const seen = await python(`import os
print(os.listdir('/home/user/Documents'))
${WINDOWS}`);
        throw new Error(`nothing was saved under that name; there is: ${seen}`, { cause });
      });
      expect(Buffer.from(text, 'hex').toString()).toBe(`${MIXED}\r\nsecond line`);
    },
    150_000 * SLOWDOWN,
  );

  it(
    'receive the text of many calls in order',
    async () => {
      const path = '/home/user/Documents/calls.txt';
      const read = `print(open('${path}', 'rb').read().hex())`;
      await python(`open('${path}', 'wb').write('.'.encode('utf-16'))`);
      await cmd('start notepad C:\\users\\user\\Documents\\calls.txt');
      await windowCalled('calls.txt');
      await stable();
      await act('key', { key: 'ctrl+a' });
      for (const text of CALLS) await act('type', { text });
      const saved = async () => {
        await act('key', { key: 'ctrl+s' });
        return Buffer.from((await python(read)).trim(), 'hex')
          .toString('utf16le')
          .slice(1);
      };
      const limits = { timeout: 30_000 * SLOWDOWN, interval: 1_000 };
      // A read while Notepad writes gives a part.
      await expect.poll(saved, limits).toBe(CALLS.join(''));
    },
    150_000 * SLOWDOWN,
  );

  it('are clicked by their text, which is read from the picture', async () => {
    await cmd('start winver');
    await windowCalled('About Wine');
    const timeout = 20 * SLOWDOWN;
    await act('wait', { until: { text: 'Wine License' }, timeout });
    const { elements } = await act('find', { text: 'OK' });
    expect(elements).toEqual([expect.objectContaining({ source: 'text', name: 'OK' })]);
    const click = ['click', 'e2e/windows', '--text', 'OK'];
    expect(await service.cli(click)).toMatchObject({ code: 0 });
    await patiently(async () => !(await python(WINDOWS)).includes('About Wine'));
  });

  it('run in the background and are ended by their process id', async () => {
    const { pid, exit_code } = await cmd('winver.exe', { background: true });
    expect(exit_code).toBeNull();
    await windowCalled('About Wine');
    await python(`import os, signal; os.killpg(${pid}, signal.SIGTERM)`);
    await patiently(async () => !(await python(WINDOWS)).includes('About Wine'));
  });
});
