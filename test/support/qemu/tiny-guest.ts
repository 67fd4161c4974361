import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accelerationArguments } from '../../../src/engines/qemu/acceleration/boot-probe.js';
import { type MachineNetwork, netdevArguments } from '../../../src/engines/qemu/network/plan.js';
import { type Account, prepareDirectory } from '../../../src/engines/qemu/process/account.js';
import { hardeningArguments } from '../../../src/engines/qemu/process/command.js';
import { waitForExit } from '../../../src/engines/qemu/process/process-record.js';
import { type SpawnedProcess, spawnProcess } from '../../../src/engines/qemu/process/spawn.js';
import type { ServedVolumes } from '../../../src/engines/qemu/process/volume-server.js';
import { connectSocket } from '../../../src/engines/qemu/socket.js';
import { NotListening } from '../../../src/engines/socket-file.js';
import { signalProcess } from '../../../src/lib/process/identity.js';
import { guestFiles } from './tiny-guest-files.js';

const BOOTED_WITHIN_MS = 300_000;
const ANSWERED_WITHIN_MS = 30_000;

/** As of a machine with volumes. */
const VOLUMES = [
  ...['-object', 'memory-backend-memfd,size=256M,id=ram,share=on'],
  ...['-chardev', 'socket,id=volumes,path=volumes.sock'],
  ...['-device', 'vhost-user-fs-pci,chardev=volumes,tag=vc-volumes'],
];

/** A guest without a disk that runs the commands from its serial port. */
export class TinyGuest {
  #output = '';

  readonly directory: string;
  readonly account: Account;
  readonly spawned: SpawnedProcess;
  readonly console: Socket;

  private constructor(
    directory: string,
    account: Account,
    spawned: SpawnedProcess,
    console: Socket,
  ) {
    this.directory = directory;
    this.account = account;
    this.spawned = spawned;
    this.console = console;
    console.on('data', (data) => {
      this.#output += data.toString('latin1');
    });
  }

  static async boot(
    name: string,
    network: MachineNetwork,
    volumes?: ServedVolumes,
  ): Promise<TinyGuest> {
    const files = await guestFiles();
    const directory = join(await mkdtemp(join(tmpdir(), 'vc-guest-')), 'machine');
    const account = await prepareDirectory(directory);
    await copyFile(files.kernel, join(directory, 'kernel'));
    await copyFile(files.initrd, join(directory, 'initrd'));
    const spawned = await spawnProcess({
      ...{ directory, account, network, program: 'qemu-system-x86_64' },
      ...{ acceleration: 'tcg', relayPort: 22, volumes },
      args: [
        ...hardeningArguments,
        ...['-machine', volumes === undefined ? 'q35' : 'q35,memory-backend=ram'],
        ...[...accelerationArguments({ usable: false })],
        ...['-m', '256', '-display', 'none', '-vga', 'none', '-no-reboot'],
        ...['-kernel', 'kernel', '-initrd', 'initrd'],
        ...['-append', `console=ttyS0 quiet panic=-1 vc.name=${name}`],
        ...['-chardev', 'socket,id=console,path=console.sock,server=on,wait=off'],
        ...['-serial', 'chardev:console'],
        ...netdevArguments(network, 22),
        ...['-device', 'virtio-net-pci,netdev=net0,romfile='],
        ...(volumes === undefined ? [] : VOLUMES),
      ],
    });
    const guest = new TinyGuest(directory, account, spawned, await dial(directory, spawned));
    await guest.#answer(BOOTED_WITHIN_MS);
    return guest;
  }

  /** The output of a command. */
  async run(command: string): Promise<string> {
    this.console.write(`${command}\n`);
    return this.#answer(ANSWERED_WITHIN_MS);
  }

  /** The greeting of the server on that port; empty if it cannot be reached. */
  async greeting(host: string, port: number): Promise<string> {
    return this.run(`nc -w 3 ${host} ${port} </dev/null 2>/dev/null`);
  }

  async #answer(withinMs: number): Promise<string> {
    const signal = AbortSignal.timeout(withinMs);
    for (;;) {
      const end = /<<done \d+>>\r?\n/.exec(this.#output);
      if (end) {
        const text = this.#output.slice(0, end.index);
        this.#output = this.#output.slice(end.index + end[0].length);
        return text.replaceAll('\r', '').trim();
      }
      await once(this.console, 'data', { signal });
    }
  }

  async end(): Promise<void> {
    this.console.destroy();
    await signalProcess(this.spawned.identity, 'SIGKILL');
    await waitForExit(this.directory, this.spawned.identity);
    await rm(join(this.directory, '..'), { recursive: true, force: true });
  }
}

async function dial(directory: string, spawned: SpawnedProcess): Promise<Socket> {
  for (let i = 0; i < 100; i++) {
    try {
      return await connectSocket(directory, 'console.sock');
    } catch (error) {
      if (!(error instanceof NotListening)) throw error;
      await sleep(50);
    }
  }
  throw new Error(`QEMU did not come up: ${await spawned.lastLogLines()}`);
}
