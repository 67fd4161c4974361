import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { ask, QUICK_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { type HelperRunner, Helpers } from '../helper.js';
import { LABEL } from '../ids.js';
import { currentImages } from '../images/list.js';
import { FrameReader } from '../machine/frames.js';
import { findAbandoned } from '../network/abandoned.js';
import { listGuards } from '../network/guard.js';
import { probeEngine } from '../probe.js';
import { checkSockets } from './sockets.js';

/** Opens a client of the engine, for a state directory. */
export type Connect = (stateDirectory: string) => Docker;

/** The checks of the engine `name`. */
export function containerChecks(name: string, connect: Connect): readonly EngineCheck[] {
  return [
    {
      name: `${name}-firewall`,
      title: 'Firewall rules',
      run: (state, signal) => checkFirewall(connect(state), signal),
    },
    {
      name: `${name}-abandoned-rules`,
      title: 'Old firewall rules',
      run: (state, signal) => {
        const docker = connect(state);
        return checkAbandoned(docker, new Helpers(docker, 'command-line'), signal);
      },
    },
    {
      name: `${name}-sockets`,
      title: 'Screen sockets',
      run: (state, signal) => checkSockets(connect(state), signal),
    },
  ];
}

/** Whether the firewall rules of all running computers are in force, with or without their service. */
export async function checkFirewall(docker: Docker, signal: AbortSignal): Promise<CheckResult> {
  if (!(await probeEngine(docker, signal)).usable) {
    return { status: 'skipped', detail: `${dialectOf(docker).name} cannot be used` };
  }
  const machines = await ask(docker, QUICK_MS, signal, (abortSignal) =>
    docker.listContainers({ filters: { label: [LABEL.service, LABEL.machine] }, abortSignal }),
  );
  if (machines.length === 0) return { status: 'skipped', detail: 'no computer runs' };
  const guards = (await listGuards(docker)).filter(({ State }) => State === 'running');
  const guarded = new Set(guards.map(({ Labels }) => Labels[LABEL.firewall]));
  const open = machines.filter(({ Labels }) => !guarded.has(Labels[LABEL.service]));
  if (open.length > 0) {
    const detail = `nothing keeps the rules of ${open.length} of ${machines.length} computers`;
    return { status: 'missing', detail, remedy: 'vc serve --detach' };
  }
  for (const { Id } of guards) {
    const [, reason] = / failed ?(.*)/.exec(await lastLine(docker, Id, signal)) ?? [];
    if (reason === undefined) continue;
    const detail = `computers are cut off, because their rules cannot be restored (${reason})`;
    return { status: 'missing', detail, remedy: 'sudo modprobe nf_tables' };
  }
  return { status: 'ok', detail: `in force for ${machines.length} running` };
}

async function lastLine(docker: Docker, id: string, signal: AbortSignal): Promise<string> {
  const raw = await ask(docker, QUICK_MS, signal, (abortSignal) =>
    docker.getContainer(id).logs({ stdout: true, follow: false, tail: 1, abortSignal }),
  );
  const parts: Buffer[] = [];
  new FrameReader((_, data) => parts.push(data)).read(raw);
  return Buffer.concat(parts).toString();
}

/** Firewall rules that services left which were killed and have not come back. */
export async function checkAbandoned(
  docker: Docker,
  helper: HelperRunner,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (!(await probeEngine(docker, signal)).usable) {
    return { status: 'skipped', detail: `${dialectOf(docker).name} cannot be used` };
  }
  const images = await currentImages(docker, signal);
  if (!images.some(({ os }) => os === 'linux')) {
    return { status: 'skipped', detail: 'there is no image to look at the rules with' };
  }
  const abandoned = await findAbandoned(docker, helper, undefined, signal);
  // One that may be idle is not reported while its guard runs.
  const left = abandoned.filter(({ guards, ownerIsGone }) => ownerIsGone || guards.length === 0);
  if (left.length === 0) return { status: 'ok', detail: 'none' };
  const { program } = dialectOf(docker);
  const commands = left.map(({ table, guards }) =>
    [
      ...guards.map(({ Id }) => `${program} rm -f ${Id.slice(0, 12)}`),
      `sudo nft delete table inet ${table}`,
    ].join(' && '),
  );
  const detail = `${left.map(({ table }) => table).join(', ')}: of services that no longer run`;
  return { status: 'stale', detail, remedy: commands.join(' && ') };
}
