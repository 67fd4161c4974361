/** Groups of tools; `--toolset` chooses some. Apart from the tools, whose schemas are slow to load. */
export const TOOLSET_NAMES = ['screen', 'computers', 'commands', 'manage'] as const;
export type Toolset = (typeof TOOLSET_NAMES)[number];

/** Without a choice. `manage` deletes computers with their disks, so it has to be chosen. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['screen', 'computers', 'commands'];
