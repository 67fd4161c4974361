import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Files of the repository under `folder`, by their paths from its root. */
export function trackedFiles(folder: string): string[] {
  const list = execFileSync('git', ['ls-files', folder], { encoding: 'utf8' });
  return list.split('\n').filter((path) => path !== '' && existsSync(path));
}

/** The sources that each source imports: statically, dynamically, or for types alone. */
export function readImports(): Map<string, string[]> {
  const sources = trackedFiles('src').filter((path) => /\.tsx?$/.test(path));
  return new Map(
    sources.map((path) => {
      const text = readFileSync(path, 'utf8');
      const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
      const targets = found.flatMap(([, specifier = '']) => {
        const target = normalize(join(dirname(path), specifier));
        return [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')];
      });
      return [path, [...new Set(targets)].filter((target) => sources.includes(target))];
    }),
  );
}
