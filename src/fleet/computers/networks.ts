import { ApiError } from '../../contract/errors.js';
import { allowedBy, type ComputerNetwork, type NetworkReport } from '../../contract/resources.js';
import { type Engine, isRestricting, type MachineNetworks } from '../../engines/engine.js';
import { INTERNET } from '../store/computers.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

/** Throws `unsupported` if the engine cannot give a computer this network. */
export async function refuseNetwork(engine: Engine, network: ComputerNetwork): Promise<void> {
  if (network === 'internet') return;
  if (isRestricting(engine)) return engine.checkNetwork(network);
  const message = `The engine "${engine.name}" cannot restrict or throttle the network of a single computer.`;
  throw new ApiError('unsupported', message, {
    remedy: 'Leave "network" out, or use another engine.',
  });
}

/** What the computer may reach, and what it was refused. */
export async function reportNetwork(
  engine: Engine,
  { id, network: text }: Pick<ComputerRecord, 'id' | 'network'>,
  signal: AbortSignal,
): Promise<NetworkReport> {
  const network = JSON.parse(text) as ComputerNetwork;
  const isList = allowedBy(network) !== undefined && isRestricting(engine);
  return { network, refused: isList ? await engine.refusedNames(id, signal) : [] };
}

/** The restricted and throttled networks of an engine's computers. */
export function networksOn(computers: Store['computers'], engine: string): MachineNetworks {
  const restricted = computers
    .listAll()
    .filter((row) => row.engine === engine && row.network !== INTERNET);
  return new Map(restricted.map(({ id, network }) => [id, JSON.parse(network) as ComputerNetwork]));
}
