import { Session } from 'node:inspector/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Functions of `src` that some work has passed, as `file: function`. */
export interface Passed {
  readonly functions: readonly string[];
  readonly files: readonly string[];
}

const SOURCE = /\/src\/(.+\.tsx?)(\?.*)?$/;
/** Vitest reads every import of another module through such a function. */
const IMPORT = /^\(\)\s*=>\s*\{\s*try\s*\{\s*return|^get\s*\(\)\s*\{\s*return|^\(\)\s*=>\s*\w+$/;

/**
 * Runs `work` some times and returns the functions of the run with the fewest: the service may do
 * something else at the same time.
 */
export async function passedFunctions(work: () => Promise<unknown>, runs = 5): Promise<Passed> {
  const session = new Session();
  session.connect();
  const sources = new Map<string, string>();
  const scripts = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
  await session.post('Debugger.enable');
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let least: string[] | undefined;
  for (let run = 0; run < runs; run++) {
    await session.post('Profiler.takePreciseCoverage');
    await work();
    // What follows the answer: the log, the audit log.
    await setTimeout(20);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const passed: string[] = [];
    for (const { scriptId, url, functions } of result) {
      const file = SOURCE.exec(url.startsWith('file:') ? fileURLToPath(url) : url)?.[1];
      if (file === undefined) continue;
      for (const { functionName, ranges } of functions) {
        const [range] = ranges;
        if (range === undefined || range.count === 0) continue;
        const known =
          sources.get(scriptId) ??
          (await session.post('Debugger.getScriptSource', { scriptId })).scriptSource;
        sources.set(scriptId, known);
        const text = known.slice(range.startOffset, range.endOffset);
        if (IMPORT.test(text)) continue;
        passed.push(`${file}: ${functionName || text.slice(0, 60).replaceAll(/\s+/g, ' ')}`);
      }
    }
    if (least === undefined || passed.length < least.length) least = passed;
  }
  session.disconnect();
  const functions = (least ?? []).toSorted();
  return { functions, files: [...new Set(functions.map((one) => one.split(': ')[0] ?? ''))] };
}
