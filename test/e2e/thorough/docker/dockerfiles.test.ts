import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUplink } from '../../../support/run/uplink.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

/** Dockerfiles of the kinds that public projects have. */
interface Example {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** A command in a computer of the image, and its output. */
  readonly shows?: readonly [command: string, stdout: string];
  /** The build is refused with this text. */
  readonly refused?: string;
}

const APT =
  'apt-get update && apt-get install -y --no-install-recommends PACKAGES && rm -rf /var/lib/apt/lists/*';
const apt = (packages: string) => APT.replace('PACKAGES', packages);

const EXAMPLES: readonly Example[] = [
  {
    kind: 'apt in several stages',
    files: {
      Dockerfile: `# syntax=docker/dockerfile:1
FROM linux AS build
RUN ${apt('gcc libc6-dev make')}
WORKDIR /src
COPY Makefile hello.c ./
RUN make hello

FROM linux
COPY --from=build /src/hello /usr/local/bin/hello
ENTRYPOINT ["hello"]
`,
      Makefile: 'hello: hello.c\n\tcc -O2 -o hello hello.c\n',
      'hello.c': '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n',
    },
    shows: ['hello; which gcc || echo "no compiler"', 'hello\nno compiler\n'],
  },
  {
    kind: 'pip in a virtual environment',
    files: {
      Dockerfile: `FROM linux
ENV VIRTUAL_ENV=/opt/venv
RUN python3 -m venv --system-site-packages $VIRTUAL_ENV && apt-get update \\
 && apt-get install -y --no-install-recommends python3-wheel && rm -rf /var/lib/apt/lists/*
ENV PATH="$VIRTUAL_ENV/bin:$PATH"
WORKDIR /app
COPY pyproject.toml .
COPY greeter ./greeter
RUN --mount=type=cache,target=/root/.cache/pip pip install --no-build-isolation --no-index .
CMD ["python", "-m", "greeter"]
`,
      'pyproject.toml':
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "greeter"\nversion = "1.0"\n\n[tool.setuptools]\npackages = ["greeter"]\n',
      'greeter/__init__.py': '',
      'greeter/__main__.py': 'import sys\nprint("hello from", sys.prefix)\n',
    },
    shows: ['cd / && python -m greeter', 'hello from /opt/venv\n'],
  },
  {
    kind: 'npm',
    files: {
      Dockerfile: `FROM linux
RUN ${apt('nodejs npm')}
WORKDIR /app
COPY package*.json ./
COPY lib ./lib
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
ENV NODE_ENV=production
EXPOSE 3000
CMD ["node", "index.js"]
`,
      'package.json':
        '{"name":"app","version":"1.0.0","dependencies":{"lib":"file:lib"},"scripts":{"start":"node index.js"}}',
      'package-lock.json': JSON.stringify({
        ...{ name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true },
        packages: {
          '': { name: 'app', version: '1.0.0', dependencies: { lib: 'file:lib' } },
          lib: { version: '1.0.0' },
          'node_modules/lib': { resolved: 'lib', link: true },
        },
      }),
      'lib/package.json': '{"name":"lib","version":"1.0.0","main":"index.js"}',
      'lib/index.js': 'module.exports = () => "hello from lib";\n',
      'index.js': 'console.log(require("lib")(), process.env.NODE_ENV);\n',
      '.dockerignore': 'node_modules\nnpm-debug.log\n',
    },
    shows: ['node /app/index.js', 'hello from lib production\n'],
  },
  {
    kind: 'COPY --chown and --chmod',
    files: {
      Dockerfile: `FROM linux
RUN groupadd --system --gid 900 app && useradd --system --gid app --uid 900 --create-home app
COPY --chown=app:app conf /srv/app/conf
COPY --chown=900 --chmod=0750 run.sh /srv/app/
COPY run.sh /srv/app/plain.sh
`,
      'conf/a.conf': 'a\n',
      'run.sh': '#!/bin/sh\necho run\n',
    },
    shows: [
      'cd /srv/app && stat -c "%U:%G %a %n" conf conf/a.conf run.sh plain.sh',
      'app:app 755 conf\napp:app 644 conf/a.conf\napp:app 750 run.sh\nroot:root 644 plain.sh\n',
    ],
  },
  {
    kind: 'here-documents',
    files: {
      Dockerfile: `FROM linux
RUN <<EOF
set -e
mkdir -p /opt/app
echo "one $((1 + 1))" >/opt/app/out
EOF
RUN <<-'EOT' python3
	import os
	open("/opt/app/python", "w").write(f"{os.getuid()}\\n")
EOT
COPY <<EOF /opt/app/settings.ini
[app]
home = $HOME
EOF
`,
    },
    shows: ['cat /opt/app/out /opt/app/python /opt/app/settings.ini', 'one 2\n0\n[app]\nhome = \n'],
  },
  {
    kind: 'ARG in FROM',
    args: ['--build-arg', 'VERSION=2.1'],
    files: {
      Dockerfile: `ARG BASE=linux
ARG VERSION=1.0
FROM \${BASE} AS app
ARG VERSION
LABEL org.opencontainers.image.version=$VERSION
RUN echo "version \${VERSION:?}, \${MISSING:-none}" >/version
`,
    },
    shows: ['cat /version', 'version 2.1, none\n'],
  },
  {
    kind: 'ONBUILD',
    files: { Dockerfile: 'FROM linux\nWORKDIR /app\nONBUILD COPY . /app\n' },
    refused: 'Dockerfile:3: ONBUILD',
  },
  {
    kind: 'switches of USER',
    files: {
      Dockerfile: `FROM linux
RUN useradd --create-home --shell /bin/bash dev
USER dev
WORKDIR /home/dev
RUN id -un >who && touch mine
USER root
RUN id -un >/root-was-here
USER user:user
RUN echo "$(id -un):$(id -gn) in $PWD" >/tmp/third
WORKDIR relative
RUN pwd >>/tmp/third && cp /tmp/third ~/third
`,
    },
    shows: [
      'sudo cat /home/dev/who; sudo stat -c %U /home/dev/mine; cat /root-was-here; cat ~/third',
      'dev\ndev\nroot\nuser:user in /home/dev\n/home/dev/relative\n',
    ],
  },
  {
    kind: '.dockerignore with negation',
    files: {
      Dockerfile: 'FROM linux\nCOPY . /ctx/\n',
      '.dockerignore':
        '# all Markdown but one\n*.md\n!README.md\n**/node_modules\nbuild/*\n!build/keep\n',
      'README.md': 'kept\n',
      'NOTES.md': 'left out\n',
      'src/node_modules/x.js': 'left out\n',
      'src/app.js': 'kept\n',
      'build/keep': 'kept\n',
      'build/out.o': 'left out\n',
    },
    shows: [
      'cd /ctx && find . -type f | sort',
      './.dockerignore\n./Dockerfile\n./README.md\n./build/keep\n./src/app.js\n',
    ],
  },
  {
    kind: 'ADD of a tar',
    files: {
      Dockerfile:
        'FROM linux\nADD release.tar.gz /opt/release/\nADD plain.txt /opt/\nCOPY release.tar.gz /opt/\n',
      'release/bin/tool': '#!/bin/sh\necho tool\n',
      'plain.txt': 'plain\n',
    },
    shows: [
      'cat /opt/release/release/bin/tool /opt/plain.txt; file -b --mime-type /opt/release.tar.gz',
      '#!/bin/sh\necho tool\nplain\napplication/gzip\n',
    ],
  },
];

let uplink: Awaited<ReturnType<typeof openUplink>>;
let service: TestService;
beforeAll(async () => {
  uplink = await openUplink();
  service = await openTestService(['--max-running', '9']);
  await service.vc.projects.create('e2e');
});
afterAll(async () => {
  await service?.close();
  await uplink?.close();
});

it.each(EXAMPLES)(
  '$kind',
  async ({ kind, files, args = [], shows, refused }) => {
    const name = kind
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .replace(/^-/, '');
    const directory = join(service.directory, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    if (kind === 'ADD of a tar') {
      execFileSync('tar', ['-C', directory, '-czf', join(directory, 'release.tar.gz'), 'release']);
    }
    // After an earlier attempt.
    await service.cli(['rm', `e2e/${name}`, '--yes']);
    const built = await service.cli(['image', 'build', directory, '-t', name, ...args]);
    if (refused !== undefined) {
      expect(built.code).not.toBe(0);
      expect(built.stderr).toContain(refused);
      return;
    }
    expect(built.code, built.stderr).toBe(0);
    const made = await service.cli(['create', `e2e/${name}`, '--image', name]);
    expect(made.code, made.stderr).toBe(0);
    const shown = await service.cli(['bash', `e2e/${name}`, shows?.[0] ?? 'true']);
    expect(shown.stdout, shown.stderr).toBe(shows?.[1] ?? '');
    await service.cli(['rm', `e2e/${name}`, '--yes']);
  },
  900_000,
);
