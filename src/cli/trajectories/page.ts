import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Point, pointsOf } from './points.js';
import { readTrajectory, type Step, type TrajectoryFiles } from './read.js';

/** The page beside the lines of a trajectory. */
export const PAGE = 'index.html';

/** Writes a page that shows the steps with their pictures; nothing for a trajectory without steps. */
export async function writePage(directory: string): Promise<void> {
  const files = await readTrajectory(directory, directory).catch(() => undefined);
  if (files !== undefined) await writeFile(join(directory, PAGE), pageOf(files), { flag: 'wx' });
}

/** The page; it runs no script and loads nothing but the pictures. */
export function pageOf(files: TrajectoryFiles): string {
  const steps = files.steps.map((step) => section(step, files.screen)).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Trajectory</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; color-scheme: light dark }
section { margin-bottom: 2.5rem }
h2 { font-size: 1rem; margin: 0 }
pre { margin: .25rem 0 .75rem; white-space: pre-wrap; overflow-wrap: anywhere }
div { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
figure { margin: 0; position: relative }
img { display: block; width: 100%; border: 1px solid #8886 }
i { position: absolute; width: 1.5rem; height: 1.5rem; margin: -.75rem; border: 3px solid #e11; border-radius: 50%; box-sizing: border-box }
</style>
<h1>Trajectory</h1>
${steps}
</html>
`;
}

function section(step: Step, screen: TrajectoryFiles['screen']): string {
  const { action, ...fields } = step.action;
  const result = step.outcome === 'ok' ? '' : `, ${step.outcome}`;
  const title = `${step.step}. ${action} at ${step.at} s${result}`;
  return `<section id="step-${step.step}">
<h2>${text(title)}</h2>
<pre>${text(JSON.stringify(fields))}</pre>
<div>${picture(step.before, 'before', pointsOf(step.action), screen)}${picture(step.after, 'after', [], screen)}</div>
</section>`;
}

function picture(
  name: string | null,
  when: string,
  points: readonly Point[],
  { width, height }: TrajectoryFiles['screen'],
): string {
  if (name === null) return '<figure></figure>';
  const marks = points.map(
    ({ x, y }) => `<i style="left:${percent(x, width)};top:${percent(y, height)}"></i>`,
  );
  return `<figure><a href="${name}"><img src="${name}" alt="${when}" loading="lazy"></a>${marks.join('')}</figure>`;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)}%`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function text(value: string): string {
  return value.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
