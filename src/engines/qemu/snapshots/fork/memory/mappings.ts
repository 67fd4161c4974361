/** A line of /proc/PID/maps: addresses `start` up to `end` of a process. */
export interface Mapping {
  readonly start: number;
  readonly end: number;
  /** For example `rw-p`; `p` is a private mapping, whose changes are not written to its file. */
  readonly permissions: string;
  /** 0 for anonymous memory. */
  readonly inode: number;
}

/** See proc_pid_maps(5). Skips lines that it does not understand. */
export function parseMappings(text: string): Mapping[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) [0-9a-f]+ \S+ (\d+)/.exec(line);
    if (match === null) return [];
    const [, start = '', end = '', permissions = '', inode] = match;
    return {
      start: Number.parseInt(start, 16),
      end: Number.parseInt(end, 16),
      permissions,
      inode: Number(inode),
    };
  });
}

/** The name of a mapping's file in /proc/PID/map_files, which also works if the file was deleted. */
export function mapFile({ start, end }: Pick<Mapping, 'start' | 'end'>): string {
  return `${start.toString(16)}-${end.toString(16)}`;
}
