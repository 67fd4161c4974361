type Texts = Readonly<Record<string, string>>;

/** Lines of `NAME=VALUE`; a name alone has an empty value, and empty lines are skipped. */
export function readPairs(lines: string | undefined): Texts {
  const pairs = (lines ?? '').split(/\r?\n/).flatMap((line) => {
    const [name = '', ...value] = line.split('=');
    return name.trim() === '' ? [] : [[name.trim(), value.join('=')] as const];
  });
  return Object.fromEntries(pairs);
}

/** The same as lines. */
export function writePairs(pairs: Texts): string {
  return Object.entries(pairs)
    .map((pair) => pair.join('='))
    .join('\n');
}

/** What turns the present pairs into others: null for those that are gone. Undefined if they are the same. */
export function changedPairs(
  present: Texts,
  wanted: Texts,
): Readonly<Record<string, string | null>> | undefined {
  const gone = Object.keys(present).filter((name) => !(name in wanted));
  const changed = Object.entries(wanted).filter(([name, value]) => present[name] !== value);
  if (gone.length + changed.length === 0) return undefined;
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]);
}
