import { request } from '../../api/http.js';
import type { Image } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Dialog } from '../../components/forms/dialog.js';
import { exactTime } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { computers } from '../../state/wall.js';
import { computersWith, isSaved, usersOf } from './users.js';

/** Size, age and computers of an image, and of one's own how it was built. */
export function ImageDetails({ image, onClose }: { image: Image; onClose: () => void }) {
  const { name, engine, os, bytes, created_at, used_by } = image;
  const made = computersWith(image, computers.value.values());
  return (
    <Dialog title={`Image ${name}`} onClose={onClose}>
      <dl>
        {[
          ['Engine', engine],
          ['System', os],
          ['Size', formatBytes(bytes)],
          ['Made', exactTime(created_at)],
          ...(used_by === null ? [] : [['Used by', usersOf(image)]]),
        ].map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd class="break">{value}</dd>
          </div>
        ))}
        <div>
          <dt>Computers</dt>
          <dd>
            {made.length === 0 && 'none'}
            <ul class="plain">
              {made.map(({ id, project_name, name: computer }) => (
                <li key={id}>
                  <a class="break" href={`/computers/${id}`}>
                    {project_name}/{computer}
                  </a>
                </li>
              ))}
            </ul>
            {used_by !== null && made.length > used_by && (
              <p class="muted">Copies, and computers of a replaced image, do not need it.</p>
            )}
          </dd>
        </div>
      </dl>
      {isSaved(image) && may.value('act') && <BuildLog of={name} />}
    </Dialog>
  );
}

function BuildLog({ of: name }: { of: string }) {
  const path = `/images/${encodeURIComponent(name)}/log`;
  const { value, failure } = useData(path, async (signal) =>
    (await request('GET', path, { accept: 'text/plain', signal })).text(),
  );
  return (
    <>
      <h3>Build log</h3>
      <FailureNote failure={failure} />
      {value === '' && <p class="muted">It was not built from a Dockerfile.</p>}
      {value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre class="text log" tabIndex={0}>
          {value}
        </pre>
      )}
    </>
  );
}
