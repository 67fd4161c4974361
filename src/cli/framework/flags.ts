/** An option's flags in commander's syntax: `-b, --button <name>`. */
interface Flags {
  readonly flags: string;
}

/** `-b` and `--button` of `-b, --button <name>`. */
export function flagNames({ flags }: Flags): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'));
}

/** True if the next word is the option's value; `--json [fields]` takes its value after `=`. */
export function takesValue({ flags }: Flags): boolean {
  return flags.includes('<');
}

/** `--button` of `-b, --button <name>`. */
export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
