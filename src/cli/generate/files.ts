import { readFile } from 'node:fs/promises';
import { packageRoot } from '../../package-root.js';
import { renderCompletion } from './completion.js';
import { renderManual } from './manual.js';
import { loadOutline } from './outline.js';
import { renderRoutes } from './routes.js';

/** Every file that follows from the command tree or the contract, by its path in the repository. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const outline = await loadOutline();
  const files = new Map([
    ['completions/vc.bash', renderCompletion('bash', outline)],
    ['completions/_vc', renderCompletion('zsh', outline)],
    ['completions/vc.fish', renderCompletion('fish', outline)],
    ['src/client/routes.ts', renderRoutes()],
  ]);
  const pages = renderManual(outline);
  for (const [name, page] of pages) files.set(`man/${name}`, page);
  return files.set('package.json', await manifest([...pages.keys()]));
}

/** The manifest with every page: npm installs those that are named there one by one. */
async function manifest(pages: readonly string[]): Promise<string> {
  const text = await readFile(new URL('package.json', packageRoot), 'utf8');
  const man = [...pages].sort().map((page) => `./man/${page}`);
  return `${JSON.stringify({ ...JSON.parse(text), man }, null, 2)}\n`;
}
