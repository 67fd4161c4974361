/**
 * Groups of files that import each other in a circle: the strongly connected components of more
 * than one file, by Tarjan's algorithm.
 */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  /** Returns the lowest index on the stack that the file reaches. */
  const visit = (file: string): number => {
    const index = indexes.size;
    indexes.set(file, index);
    stack.push(file);
    let lowest = index;
    for (const target of imports.get(file) ?? []) {
      const known = indexes.get(target);
      if (known === undefined) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, known);
    }
    if (lowest === index) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) circles.push(component.sort());
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!indexes.has(file)) visit(file);
  return circles;
}
