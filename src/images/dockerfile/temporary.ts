import { runScript } from './commands.js';
import type { BuildMachine } from './machine.js';

/**
 * A computer has /tmp in memory, and a Dockerfile expects it on the disk: `COPY x.deb /tmp/`, then `RUN`
 * installs it. So it is kept in a directory beside a saved step, and put back in the machine that continues
 * from there. What a desktop has in /tmp is its own.
 */
const KEPT = './var/lib/vc/tmp';

const COPY = `copy() {
  for file in "$1"/* "$1"/.[!.]*; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    case \${file##*/} in .X* | .ICE-unix | .font-unix | .xfsm-* | ssh-* | dbus-*) continue ;; esac
    mkdir -p -m 700 "$2"
    cp -a "$file" "$2/"
  done
}`;

/** Before a step is saved. */
export async function keepTemporary(machine: BuildMachine, signal?: AbortSignal): Promise<void> {
  await run(machine, `${COPY}\nrm -rf ${KEPT}\ncopy ./tmp ${KEPT}`, signal);
}

/** In a machine that was started from a saved step. */
export async function restoreTemporary(machine: BuildMachine, signal?: AbortSignal): Promise<void> {
  await run(machine, `${COPY}\ncopy ${KEPT} ./tmp`, signal);
}

/** Before the image is saved: a new computer has an empty /tmp. */
export async function forgetTemporary(machine: BuildMachine, signal?: AbortSignal): Promise<void> {
  await run(machine, `rm -rf ${KEPT}`, signal);
}

async function run(machine: BuildMachine, script: string, signal?: AbortSignal): Promise<void> {
  await runScript(machine, `set -eu\n${script}`, [], signal && { signal });
}
