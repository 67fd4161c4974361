import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import ssh2 from 'ssh2';

const HEADER = 8;

function makeKey() {
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-key-'));
  try {
    const file = join(directory, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    return { secret: readFileSync(file), open: readFileSync(`${file}.pub`, 'utf8').trim() };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Output of a program in a container, without the headers of the Engine's frames. */
function joinFrames(socket) {
  let unread = Buffer.alloc(0);
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
  });
  socket.on('data', (chunk) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= HEADER) {
      const end = HEADER + unread.readUInt32BE(4);
      if (unread.length < end) return;
      stream.push(unread.subarray(HEADER, end));
      unread = unread.subarray(end);
    }
  });
  socket.on('close', () => stream.push(null));
  return stream;
}

/** One bare SSH connection to a container, the way the service has one; `run` opens a channel on it. */
export async function openSsh({ docker }, container) {
  const key = makeKey();
  const server =
    'f=$(mktemp) && echo "$1" >$f && exec /usr/sbin/sshd -i -f /usr/lib/vc/sshd_config ' +
    '-h /var/lib/vc/ssh_host_ed25519_key -o AuthorizedKeysFile=$f';
  const exec = await docker.getContainer(container).exec({
    Cmd: ['sh', '-c', server, 'sshd', key.open],
    ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true },
  });
  const socket = await exec.start({ hijack: true, stdin: true });
  const client = new ssh2.Client();
  await new Promise((resolve, reject) => {
    client.once('ready', resolve).once('error', reject);
    client.connect({ sock: joinFrames(socket), username: 'user', privateKey: key.secret });
  });
  return {
    run: (command) =>
      new Promise((resolve, reject) => {
        client.exec(command, (error, channel) => {
          if (error) return reject(error);
          channel.resume().stderr.resume();
          channel.once('close', resolve);
        });
      }),
    close: () => {
      client.end();
      socket.destroy();
    },
  };
}
