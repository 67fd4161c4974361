import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { load } from '../../api/load.js';
import type { Computer } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';

type Part = ComponentType<{ computer: Computer }>;

/** The recorded actions; their page is loaded when it is shown. */
export function TrajectoryTab({ computer }: { computer: Computer }) {
  const [part, setPart] = useState<{ readonly Part: Part }>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    load(async () => (await import('../trajectory/trajectory.js')).Trajectory).then(
      (Part) => setPart({ Part }),
      (error) => setFailure(asFailure(error)),
    );
  }, []);
  if (part !== undefined) return <part.Part computer={computer} />;
  return (
    <div class="page">
      <FailureNote failure={failure} />
      {failure === undefined && <p class="muted">Loading…</p>}
    </div>
  );
}
