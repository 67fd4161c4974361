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

/** Milliseconds in which the service writes what it has put off, such as its audit log. */
const DEFERRED_MS = 500;

/** The counts of a function that was collected as garbage are lost, so `work` is run some times. */
const RUNS = 8;
/** A function of fewer runs was called by a timer meanwhile. */
const LEAST = 2;

/** The functions that `work` passes; not those of what the service does afterwards by itself. */
export async function passedFunctions(work: () => Promise<unknown>): Promise<Passed> {
  const session = new Session();
  session.connect();
  const sources = new Map<string, string>();
  await session.post('Debugger.enable');
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const take = async (): Promise<string[]> => {
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
    return passed;
  };
  const idle = async () => {
    await take();
    await setTimeout(DEFERRED_MS);
    return take();
  };
  const deferred = new Set(await idle());
  const passed = new Map<string, number>();
  for (let run = 0; run < RUNS; run++) {
    await take();
    await work();
    for (const one of new Set(await take())) passed.set(one, (passed.get(one) ?? 0) + 1);
  }
  for (const one of await idle()) deferred.add(one);
  session.disconnect();
  const functions = [...passed.keys()]
    .filter((one) => !deferred.has(one) && (passed.get(one) ?? 0) >= LEAST)
    .sort();
  return { functions, files: [...new Set(functions.map((one) => one.split(': ')[0] ?? ''))] };
}
