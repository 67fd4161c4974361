/** Groups of tools; `--toolset` chooses some. Apart from the tools, whose schemas are slow to load. */
export const TOOLSET_NAMES = ['screen', 'computers', 'commands'] as const;
export type Toolset = (typeof TOOLSET_NAMES)[number];
