import { Reconciler as Real } from '../../src/fleet/lifecycle/reconcile.ts';

/** The service's reconciler, which reports the time that each round takes. */
export class Reconciler extends Real {
  async run(...given) {
    const [before, startedAt] = [process.cpuUsage(), performance.now()];
    await super.run(...given);
    const { user, system } = process.cpuUsage(before);
    const ms = performance.now() - startedAt;
    process.send?.({ round: { processorMs: (user + system) / 1000, ms } });
  }
}
