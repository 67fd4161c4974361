// @module-tag slow
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Dockerfiles
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BuildEvent } from '../../../src/images/dockerfile/progress.js';
import { BASE_CONFIG } from '../../../src/images/dockerfile/steps.js';
import { build, FakeMachines } from './fake-machines.js';

let machines: FakeMachines;
beforeEach(() => {
  machines = new FakeMachines();
});
afterEach(() => {
  expect(machines.open.size).toBe(0);
  machines.remove();
});

/** Lines of a Dockerfile. */
const lines = (...all: string[]) => `${all.join('\n')}\n`;

describe('Dockerfiles of the usual kinds', () => {
  test('apt with several stages', async () => {
    const image = await build(machines, {
      Dockerfile: lines(
        'FROM linux AS build',
        'RUN apt-get update && \\',
        '    apt-get install -y --no-install-recommends \\',
        '      build-essential \\',
        '      # the library that it needs',
        '      libssl-dev',
        'WORKDIR /src',
        'COPY . .',
        'RUN cp main.c program && mkdir -p lib && cp main.c lib/a.so',
        'FROM linux',
        'COPY --from=build /src/program /usr/local/bin/tool',
        'COPY --from=build /src/lib/ /usr/local/lib/',
        'COPY --from=0 /src/*.c /srv/',
        'CMD ["tool", "--serve"]',
      ),
      'main.c': 'int main;\n',
    });
    expect(image.text('usr/local/bin/tool')).toBe('int main;\n');
    expect(image.text('usr/local/lib/a.so')).toBe('int main;\n');
    expect(image.text('srv/main.c')).toBe('int main;\n');
    expect(image.has('var/lib/apt/log')).toBe(false);
    expect(image.config.command).toEqual(['tool', '--serve']);
    const run = machines.runs.find(({ argv }) => argv.at(-1)?.startsWith('apt-get update'));
    expect(run?.argv.at(-1)).toMatch(/build-essential +libssl-dev$/);
  });

  test('pip in a virtual environment', async () => {
    const image = await build(machines, {
      Dockerfile: lines(
        'FROM linux',
        'ENV VIRTUAL_ENV=/opt/venv',
        'RUN python3 -m venv $VIRTUAL_ENV',
        'ENV PATH="$VIRTUAL_ENV/bin:$PATH"',
        'COPY requirements.txt .',
        'RUN pip install --no-cache-dir -r requirements.txt',
      ),
      'requirements.txt': 'flask\n',
    });
    expect(image.text('pip.log')).toBe('pip install --no-cache-dir -r requirements.txt\n');
    expect(image.config.env.PATH).toBe(`/opt/venv/bin:${BASE_CONFIG.env.PATH}`);
    const environment = image.text('usr/lib/vc/environment');
    expect(environment).toContain('\nPATH=/opt/venv/bin:/home/user');
    expect(environment.match(/^PATH=/gm)).toHaveLength(1);
  });

  test('npm with the lock file first', async () => {
    const files = {
      Dockerfile: lines(
        'FROM linux',
        'WORKDIR /app',
        'COPY package*.json ./',
        'RUN npm ci --omit=dev',
        'COPY . .',
        'EXPOSE 3000',
        'CMD node server.js',
      ),
      'package.json': '{"name":"x"}\n',
      'package-lock.json': '{}\n',
      'server.js': 'serve()\n',
    };
    const image = await build(machines, files);
    expect(image.text('app/node_modules/left-pad/package.json')).toBe('{"name":"x"}\n');
    expect(image.text('usr/lib/vc/program')).toContain("cd -- /app || exit\nexec '/bin/sh' '-c'");
    const again = await build(machines, { ...files, 'server.js': 'other()\n' });
    expect(again.text('app/server.js')).toBe('other()\n');
    expect(again.lines).toEqual([
      'note: line 6: EXPOSE is ignored: every port of a computer can be forwarded',
      '#1 [stage-0 1/6] FROM linux',
      '#1 DONE Ns',
      '#2 [stage-0 2/6] WORKDIR /app',
      '#2 CACHED',
      '#3 [stage-0 3/6] COPY package*.json ./',
      '#3 CACHED',
      '#4 [stage-0 4/6] RUN npm ci --omit=dev',
      '#4 CACHED',
      '#5 [stage-0 5/6] COPY . .',
      '#5 DONE Ns',
      '#6 [stage-0 6/6] write the configuration of the image',
      '#6 DONE Ns',
    ]);
  });

  test('COPY with owner and mode', async () => {
    const image = await build(machines, {
      Dockerfile: lines(
        'FROM linux',
        'COPY --chown=4321:8765 --chmod=750 app /home/user/app',
        'COPY --chown=1000:1000 a.txt /by-id',
        'COPY --chown=user a.txt /by-name',
        'COPY a.txt b.sh /opt/x/',
        'COPY a.txt /opt',
        'COPY a.txt /new/name',
      ),
      'app/run.sh': 'run\n',
      'app/deep/data': 'data\n',
      'a.txt': 'a\n',
      'b.sh': 'b\n',
    });
    expect(image.text('home/user/app/deep/data')).toBe('data\n');
    expect(image.text('new/name')).toBe('a\n');
    expect(Object.fromEntries(machines.owners)).toMatchObject({
      '/home/user/app/run.sh': '4321:8765 750',
      '/home/user/app/deep/data': '4321:8765 750',
      // The user of the computer, whatever its id.
      '/by-id': '2010000001:2010000001 644',
      '/by-name': '2010000001:2010000001 644',
      '/opt/x/a.txt': '0:0 644',
      '/opt/x/b.sh': '0:0 755',
      '/opt/a.txt': '0:0 644',
    });
  });

  test('here-documents', async () => {
    const image = await build(machines, {
      Dockerfile: lines(
        'FROM linux',
        'ARG GREETING=hello',
        'RUN <<EOF',
        'set -e',
        'echo one >out',
        'echo "$GREETING" >>out',
        'EOF',
        'RUN <<EOF',
        '#!/bin/bash',
        'shopt -q extglob; echo "bash ${BASH_VERSION:+yes}" >>out',
        'EOF',
        'RUN cat <<A >both && cat <<B >>both',
        'a',
        'A',
        'b',
        'B',
        'COPY <<EOF /etc/app.conf',
        'greeting = "$GREETING"',
        'EOF',
        "COPY <<first.txt <<'second.txt' /etc/parts/",
        '1',
        'first.txt',
        '$2',
        'second.txt',
      ),
    });
    expect(image.text('out')).toBe('one\nhello\nbash yes\n');
    expect(image.text('both')).toBe('a\nb\n');
    expect(image.text('etc/app.conf')).toBe('greeting = "hello"\n');
    expect(image.text('etc/parts/first.txt')).toBe('1\n');
    expect(image.text('etc/parts/second.txt')).toBe('$2\n');
  });

  test('ARG in FROM', async () => {
    const files = {
      Dockerfile: lines('ARG BASE=linux', 'ARG V=1', 'FROM $BASE', 'ARG V', 'RUN echo "v$V" >v'),
    };
    expect((await build(machines, files)).text('v')).toBe('v1\n');
    expect((await build(machines, files, { args: { V: '2' } })).text('v')).toBe('v2\n');
    await expect(build(machines, files, { args: { BASE: 'debian' } })).rejects.toThrow(
      'Dockerfile:3: there is no image "debian"',
    );
  });

  test('ONBUILD is refused with its line, before a machine is started', async () => {
    const Dockerfile = lines('FROM linux', 'RUN true', 'ONBUILD COPY . /app');
    await expect(build(machines, { Dockerfile })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Dockerfile:3: ONBUILD is not supported: images of computers have no triggers',
    });
    expect(machines.started).toEqual([]);
  });

  test('USER changes who runs, and who owns a new WORKDIR', async () => {
    await build(machines, {
      Dockerfile: lines(
        ...['FROM linux', 'RUN echo 1', 'USER user', 'WORKDIR /home/user/work', 'RUN echo 2'],
        ...['USER 1000:1000', 'RUN echo 3', 'USER root', 'RUN echo 4'],
      ),
    });
    const runs = machines.runs.filter(({ argv }) => argv.at(-1)?.startsWith('echo '));
    expect(runs.map(({ user }) => user)).toEqual(['', 'user', '1000:1000', 'root']);
    expect(runs.map(({ cwd }) => cwd)).toEqual(['/', ...Array(3).fill('/home/user/work')]);
    expect(machines.owners.get('/home/user/work/')).toBe('2010000001:2010000001 755');
  });

  test('.dockerignore with negation', async () => {
    const image = await build(machines, {
      Dockerfile: lines('FROM linux', 'COPY . /app/'),
      '.dockerignore': '# comment\n*.md\n!README.md\nnode_modules\n**/*.log\nDockerfile\n',
      'README.md': 'read\n',
      'NOTES.md': 'no\n',
      'node_modules/x/index.js': 'no\n',
      'deep/er/x.log': 'no\n',
      'deep/er/x.txt': 'yes\n',
    });
    expect(image.has('app/README.md')).toBe(true);
    expect(image.has('app/deep/er/x.txt')).toBe(true);
    for (const path of ['NOTES.md', 'node_modules', 'deep/er/x.log', 'Dockerfile']) {
      expect(image.has(`app/${path}`), path).toBe(false);
    }
  });

  test('ADD unpacks archives, and copies other files', async () => {
    const directory = join(machines.root, 'site');
    machines.write(directory, 'index.html', '<p>\n');
    const archive = (option: string) => execFileSync('tar', ['-c', option, '-C', directory, '.']);
    const image = await build(machines, {
      Dockerfile: lines('FROM linux', 'ADD a.tgz /srv/a', 'ADD b.tar /srv/b/', 'ADD note /srv/n'),
      'a.tgz': archive('-z'),
      'b.tar': archive('--sort=name'),
      note: 'note\n',
    });
    expect(image.text('srv/a/index.html')).toBe('<p>\n');
    expect(image.text('srv/b/index.html')).toBe('<p>\n');
    expect(image.text('srv/n')).toBe('note\n');
  });
});

describe('the cache', () => {
  const Dockerfile = lines(
    ...['FROM linux', 'ARG V=1', 'RUN echo $V >>out', 'COPY a /a', 'RUN echo 2 >>out'],
  );
  const files = { Dockerfile, a: 'a' };
  const ran = () => machines.runs.filter(({ argv }) => argv.at(-1)?.startsWith('echo')).length;

  test('an unchanged build starts no machine', async () => {
    const first = await build(machines, files);
    const started = machines.started.length;
    const again = await build(machines, { ...files, other: 'not copied' });
    expect(again.origin).toEqual(first.origin);
    expect(machines.started).toHaveLength(started);
    expect(again.lines.filter((line) => line.endsWith('CACHED'))).toHaveLength(4);
    expect(again.text('out')).toBe('1\n2\n');
  });

  test.each([
    ['a changed file', { ...files, a: 'b' }, {}, 3],
    ['a changed instruction', { ...files, Dockerfile: Dockerfile.replace('2', '3') }, {}, 3],
    ['a build argument', files, { args: { V: '9' } }, 4],
    ['no cache', files, { noCache: true }, 4],
    ['a comment', { ...files, Dockerfile: `# x\n${Dockerfile}` }, {}, 2],
    ['a proxy', files, { args: { http_proxy: 'http://x.test' } }, 2],
  ])('%s', async (_what, changed, options, runs) => {
    await build(machines, files);
    await build(machines, changed, options);
    expect(ran()).toBe(runs);
  });

  test('a build without the cache replaces what is in it', async () => {
    const random = { Dockerfile: lines('FROM linux', 'RUN head -c 8 /dev/urandom | od >out') };
    const first = (await build(machines, random)).text('out');
    const second = (await build(machines, random, { noCache: true })).text('out');
    expect(second).not.toBe(first);
    expect((await build(machines, random)).text('out')).toBe(second);
  });

  test('where a save takes longer than the steps, the last one is saved', async () => {
    machines.saveMs = 60_000;
    const { origin } = await build(machines, files);
    const changed = Dockerfile.replace('echo 2', 'echo 3');
    await build(machines, { ...files, Dockerfile: changed });
    expect(ran()).toBe(4);
    expect((await build(machines, files)).origin).toEqual(origin);
    expect(ran()).toBe(4);
  });

  test('a stage that only a cached step needs is not built', async () => {
    const staged = {
      Dockerfile: lines(
        ...['FROM linux AS one', 'RUN echo 1 >out'],
        ...['FROM linux', 'COPY --from=one /out /out', 'COPY a /a'],
      ),
      a: 'a',
    };
    await build(machines, staged);
    const image = await build(machines, { ...staged, a: 'b' });
    expect(image.lines.join('\n')).not.toContain('[one');
    expect(image.text('out')).toBe('1\n');
  });
});

describe('a step that fails', () => {
  test('says file, line and exit code, and earlier steps stay in the cache', async () => {
    const Dockerfile = lines('FROM linux', 'RUN echo one >out', '', 'RUN echo why >&2; exit 7');
    const events: BuildEvent[] = [];
    const onEvent = (event: BuildEvent) => events.push(event);
    await expect(build(machines, { Dockerfile }, { onEvent })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Dockerfile:4: RUN echo why >&2; exit 7: it ended with exit code 7',
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'output', text: 'why' }));
    expect(events.at(-1)).toMatchObject({ type: 'failed', step: 3 });
    const fixed = await build(machines, { Dockerfile: Dockerfile.replace('exit 7', 'exit 0') });
    expect(fixed.lines).toContain('#2 CACHED');
  });

  test('finds in /tmp what earlier steps have left there, also from the cache', async () => {
    const files = {
      Dockerfile: lines('FROM linux', 'COPY a .b /tmp/', 'RUN cat tmp/a tmp/.b >out; exit 7'),
      ...{ a: 'one', '.b': 'two' },
    };
    await expect(build(machines, files)).rejects.toMatchObject({ code: 'invalid_request' });
    const Dockerfile = files.Dockerfile.replace('exit 7', 'exit 0');
    const fixed = await build(machines, { ...files, Dockerfile });
    expect(fixed.lines).toContain('#2 CACHED');
    expect(fixed.text('out')).toBe('onetwo');
    const longer = lines('FROM linux', 'COPY a .b /tmp/', 'RUN cat tmp/a >longer');
    expect((await build(machines, { ...files, Dockerfile: longer })).text('longer')).toBe('one');
  });

  test.each([
    ['COPY missing /x', 'COPY missing /x: missing is not in the context'],
    ['COPY ../x /x', 'COPY ../x /x: ../x leads out of the context'],
    ['COPY --chown=none a /x', 'COPY --chown=none a /x: there is no user none in the image'],
    ['COPY --chown=0:none a /x', 'COPY --chown=0:none a /x: there is no group none in the image'],
    ['COPY --from=one /none /x', 'COPY --from=one /none /x: there is no /none'],
    ['RUN --mount=type=secret,id=t,required true', 'the secret t is missing'],
    ['RUN ["/no/such/program"]', 'RUN ["/no/such/program"]: it ended with exit code 127'],
  ])('%s', async (line, message) => {
    const Dockerfile = lines('FROM linux AS one', 'RUN true', 'FROM linux', line);
    const building = build(machines, { Dockerfile, a: 'a' });
    await expect(building).rejects.toThrow(`Dockerfile:4: ${message}`);
  });

  test('too many layers are refused before a machine is started', async () => {
    const Dockerfile = lines('FROM linux', 'RUN true\n'.repeat(101));
    const message = 'Dockerfile:1: the stage has 101 steps; 100 is the limit';
    await expect(build(machines, { Dockerfile })).rejects.toThrow(message);
    expect(machines.started).toEqual([]);
  });

  test('one that does not end is ended', async () => {
    const Dockerfile = lines('FROM linux', 'RUN exec sleep 100');
    await expect(build(machines, { Dockerfile }, { stepMs: 300 })).rejects.toMatchObject({
      code: 'guest_timeout',
      message: 'Dockerfile:2: RUN exec sleep 100: it did not end in 0.3 s.',
    });
  });
});

test('an abort ends the step, and leaves no machine', async () => {
  const controller = new AbortController();
  const onEvent = ({ type }: BuildEvent) => {
    if (type === 'output') controller.abort(new Error('interrupted'));
  };
  const Dockerfile = lines('FROM linux', 'RUN echo begun; exec sleep 100');
  const building = build(machines, { Dockerfile }, { signal: controller.signal, onEvent });
  await expect(building).rejects.toThrow('interrupted');
  expect(readdirSync(machines.root).filter((name) => name.startsWith('machine-'))).toEqual([]);
});

test('endless output is bounded', async () => {
  const noise = "head -c 20000000 /dev/zero | tr '\\0' y; yes | head -c 9000000";
  const { events } = await build(machines, { Dockerfile: lines('FROM linux', `RUN ${noise}`) });
  const output = events.flatMap((event) => (event.type === 'output' ? [event.text] : []));
  expect(output.join('').length).toBeLessThanOrEqual(2 * 1024 * 1024 + 100);
  expect(output.at(-1)).toBe('[output clipped: more than 2 MiB]');
});

test('secrets are there for their step only, in no event, disk or key', async () => {
  const secrets = new Map([['token', Buffer.from('s3cret-value\n')]]);
  const Dockerfile = lines(
    'FROM linux',
    'RUN --mount=type=secret,id=token cat run/secrets/token; wc -c <run/secrets/token >length',
    'RUN --mount=type=secret,id=token,env=TOKEN printf "$TOKEN" | wc -c >>length',
    'RUN --mount=type=secret,id=other test ! -e run/secrets/other',
  );
  const image = await build(machines, { Dockerfile }, { secrets });
  expect(image.text('length')).toBe('13\n13\n');
  expect(image.has('run/secrets')).toBe(false);
  expect(image.lines).toContain('#2 N ****');
  expect(JSON.stringify(image.events)).not.toContain('s3cret');
  const search = `grep -rl s3cret "$1" /dev/shm/vc-build-* 2>/dev/null || true`;
  const found = execFileSync('sh', ['-c', search, 'sh', machines.root], { encoding: 'utf8' });
  expect(found).toBe('');
});

test('directories of mounts are removed unless they were there', async () => {
  const Dockerfile = lines(
    'FROM linux',
    'RUN --mount=type=cache,target=/root/.cache/pip echo x >root/.cache/pip/x',
    'RUN --mount=type=cache,target=/home/user echo x >home/user/kept',
  );
  const image = await build(machines, { Dockerfile });
  expect(image.has('root/.cache/pip')).toBe(false);
  expect(image.text('home/user/kept')).toBe('x\n');
});

test('build arguments are in no event, and not in the image', async () => {
  const Dockerfile = lines('FROM linux', 'ARG PASSWORD', 'RUN test -n "$PASSWORD"', 'COPY a /');
  const image = await build(machines, { Dockerfile, a: '' }, { args: { PASSWORD: 'hunter22' } });
  expect(JSON.stringify([image.events, image.config, image.origin])).not.toContain('hunter22');
});

test('an image builds on one of before, with its configuration', async () => {
  const value = `it"s $x \\ \``;
  const first = await build(machines, {
    Dockerfile: lines(
      ...['FROM linux', `ENV A=1 B='${value}'`, 'WORKDIR /app', `CMD ["a b", "it's"]`],
    ),
  });
  machines.configs.set('mine', first.config);
  cpSync(machines.disk(first.origin), join(machines.root, 'image-mine'), { recursive: true });
  const second = await build(machines, {
    Dockerfile: lines('FROM mine', 'ENV A=2 C=$A', 'RUN pwd >where'),
  });
  const environment = second.text('usr/lib/vc/environment');
  expect(environment.match(/^[ABC]=.?/gm)).toEqual(['B="', 'A=2', 'C=1']);
  const file = join(machines.disk(second.origin), 'usr/lib/vc/environment');
  const script = 'set -a; . "$1"; printf %s "$B"';
  expect(execFileSync('sh', ['-c', script, 'sh', file], { encoding: 'utf8' })).toBe(value);
  expect(second.text('app/where')).toMatch(/\/app\n$/);
  expect(second.config.command).toEqual(['a b', "it's"]);
  expect(second.text('usr/lib/vc/program')).toContain(`exec 'a b' 'it'\\''s'`);
});

test('a Dockerfile elsewhere in the context has its own .dockerignore', async () => {
  const files = {
    'docker/qa.Dockerfile': lines('FROM linux', 'COPY . /app/'),
    'docker/qa.Dockerfile.dockerignore': 'b\n',
    '.dockerignore': 'a\n',
    a: 'a',
    b: 'b',
  };
  const image = await build(machines, files, { dockerfile: 'docker/qa.Dockerfile' });
  expect([image.has('app/a'), image.has('app/b')]).toEqual([true, false]);
});
