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
  for (const [name, page] of renderManual(outline)) files.set(`man/${name}`, page);
  return files;
}
