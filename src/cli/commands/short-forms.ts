import type { Group, Single } from '../framework/nodes.js';

/** A verb without its noun, with names other than the verb that its definition has. */
type Entry = readonly [
  group: string,
  verb: string,
  names?: Partial<Pick<Single, 'name' | 'aliases'>>,
];

const common: readonly Entry[] = [
  ['computer', 'create'],
  ['computer', 'ls', { aliases: ['list'] }],
  ['computer', 'start'],
  ['computer', 'stop'],
  ['computer', 'restart'],
  ['computer', 'rm', { aliases: ['delete', 'remove'] }],
  ['computer', 'view'],
  ['computer', 'shell'],
  ['computer', 'ssh'],
  ['computer', 'exec'],
  ['computer', 'bash'],
  ['computer', 'python'],
  ['computer', 'cp'],
  ['computer', 'screenshot'],
  ['computer', 'click'],
  ['computer', 'type'],
  // `vc key` manages API keys. If it pressed keys too, a mistyped verb would press keys.
  ['computer', 'key', { name: 'press' }],
];

const others: readonly Entry[] = [
  ['computer', 'get', { aliases: ['show'] }],
  ['computer', 'sync'],
  ['computer', 'wait'],
  ['computer', 'find'],
  ['computer', 'move'],
  ['computer', 'drag'],
  ['computer', 'scroll'],
  ['computer', 'open'],
  ['computer', 'clipboard'],
  ['computer', 'record'],
  ['computer', 'forward', { aliases: ['port-forward'] }],
  ['publication', 'create', { name: 'publish' }],
  ['publication', 'rm', { name: 'unpublish', aliases: [] }],
  ['computer', 'vnc'],
  ['computer', 'reset'],
  ['computer', 'fork'],
  ['computer', 'stats'],
  ['computer', 'history'],
  ['job', 'logs'],
];

/**
 * Commands that also work without their noun: `vc ls` is `vc computer ls`. `run` and `update` have
 * no short form, because `vc run` runs tasks, and `vc update` would suggest an update of vc.
 */
export function shortForms(groups: readonly Group[]): Single[] {
  const nodes = (heading: Single['heading'], entries: readonly Entry[]) =>
    entries.map(([group, verb, names]): Single => {
      const load = groups.find(({ name }) => name === group)?.verbs[verb];
      if (load === undefined) throw new TypeError(`there is no vc ${group} ${verb}`);
      return { name: verb, ...names, heading, load, shortFor: [group, verb] };
    });
  return [...nodes('Common commands', common), ...nodes('Computer commands', others)];
}
