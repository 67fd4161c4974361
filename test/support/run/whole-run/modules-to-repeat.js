/**
 * The modules of a run that failed, or during which an error came outside of the tests. None if there
 * are more than `most`, or if such an error came during no module.
 */
export function modulesToRepeat({ testModules, unhandledErrors }, most) {
  const paths = new Set(unhandledErrors.map(({ VITEST_TEST_PATH }) => VITEST_TEST_PATH));
  const failed = testModules.filter((module) => !module.ok() || paths.has(module.moduleId));
  return paths.has(undefined) || failed.length > most ? [] : failed;
}
