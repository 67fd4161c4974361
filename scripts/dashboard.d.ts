/** Builds the page into dist/dashboard. */
export function buildDashboard(): Promise<void>;
