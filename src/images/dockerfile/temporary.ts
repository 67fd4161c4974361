import { runScript } from './commands.js';
import type { BuildMachine } from './machine.js';

/**
 * A computer has /tmp in memory, and a Dockerfile expects it on the disk: `COPY x.deb /tmp/`, then `RUN`
 * installs it. So its files are copied to this directory of the disk before a step is saved, and back in
 * the machine that continues from there. Files of the desktop session are not copied.
 */
const KEPT = './var/lib/vc/tmp';

/** A file of the desktop may vanish meanwhile. */
const COPY = `copy() {
  for file in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    name=\${file##*/}
    case $name in .X11-unix | .X[0-9]*-lock | .ICE-unix | .font-unix) continue ;; esac
    mkdir -p -m 700 "$2"
    rm -rf "$2/$name"
    cp -a "$file" "$2/" || [ ! -e "$file" ]
  done
}`;

/** Before a step is saved. */
export async function keepTemporary(machine: BuildMachine, signal?: AbortSignal): Promise<void> {
  await run(machine, `${COPY}\nrm -rf ${KEPT}\ncopy ./tmp ${KEPT}`, signal);
}

/** In a machine that has been started from a saved step or an image. */
export async function restoreTemporary(machine: BuildMachine, signal?: AbortSignal): Promise<void> {
  await run(machine, `${COPY}\ncopy ${KEPT} ./tmp`, signal);
}

async function run(machine: BuildMachine, script: string, signal?: AbortSignal): Promise<void> {
  await runScript(machine, `set -eu\n${script}`, [], signal && { signal });
}
