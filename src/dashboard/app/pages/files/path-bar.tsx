import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { parents } from '../../state/paths.js';

/** The path as steps to go back to, or as a text to type. */
export function PathBar({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const [isEditing, setEditing] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setEditing(false);
    onGo(String(form.get('path') || '.'));
  };
  if (isEditing) {
    return (
      <form class="path" onSubmit={submit}>
        <input
          name="path"
          aria-label="Path"
          defaultValue={path}
          spellcheck={false}
          autocomplete="off"
          ref={(input) => input?.focus()}
          onBlur={() => setEditing(false)}
          onKeyDown={(event) => event.key === 'Escape' && setEditing(false)}
        />
      </form>
    );
  }
  const steps = parents(path);
  return (
    <nav class="path" aria-label="Path">
      <ol class="plain">
        {steps.map((step, at) => (
          <li key={step.path}>
            <button
              type="button"
              class="small ghost"
              aria-current={at === steps.length - 1 ? 'location' : undefined}
              onClick={() => onGo(step.path)}
            >
              <span class="clip">{step.name}</span>
            </button>
          </li>
        ))}
      </ol>
      <button type="button" class="small ghost" onClick={() => setEditing(true)}>
        Type a path
      </button>
      {steps.length > 1 && (
        <button
          type="button"
          class="ghost square"
          aria-label="Up"
          onClick={() => onGo(steps.at(-2)?.path ?? '/')}
        >
          <Icon name="up" />
        </button>
      )}
    </nav>
  );
}
