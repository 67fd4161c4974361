import { useEffect, useState } from 'preact/hooks';
import { query, request } from '../../api/http.js';
import type { FileEntry } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Dialog } from '../../components/forms/dialog.js';
import { Icon } from '../../components/icon.js';
import { useData } from '../../state/use-data.js';

const MOST_BYTES = { text: 1024 * 1024, picture: 20 * 1024 * 1024 };
/** Types by the end of the name: the browser shows them in `img`, where scripts of an SVG do not run. */
const PICTURES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

function pictureType(name: string): string | undefined {
  return PICTURES[name.split('.').at(-1)?.toLowerCase() ?? ''];
}

/** Whether a file is small enough to be shown. */
export function canPreview({ name, type, size }: FileEntry): boolean {
  const most = pictureType(name) === undefined ? MOST_BYTES.text : MOST_BYTES.picture;
  return type === 'file' && size <= most;
}

interface PreviewProps {
  readonly base: string;
  readonly path: string;
  readonly name: string;
  /** The address of the download. */
  readonly href: string;
  readonly onClose: () => void;
}

/** A text or a picture, with its download. */
export function Preview({ base, path, name, href, onClose }: PreviewProps) {
  const { value, failure } = useData(`preview ${path}`, async (signal) => {
    const answer = await request('GET', `${base}/files${query({ path })}`, { signal });
    const bytes = await answer.arrayBuffer();
    return { picture: pictureType(name), bytes };
  });
  return (
    <Dialog title={name} onClose={onClose}>
      <FailureNote failure={failure} />
      {value === undefined ? (
        failure === undefined && <p class="muted">Loading…</p>
      ) : value.picture === undefined ? (
        <Text bytes={value.bytes} />
      ) : (
        <Picture type={value.picture} bytes={value.bytes} name={name} />
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Close
        </button>
        <a class="button primary" href={href} download={name} data-first>
          <Icon name="download" />
          Download
        </a>
      </footer>
    </Dialog>
  );
}

function Text({ bytes }: { bytes: ArrayBuffer }) {
  const text = textOf(bytes);
  if (text === undefined) return <p>This file is neither a text nor a picture.</p>;
  if (text === '') return <p>The file is empty.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <pre class="text log" tabIndex={0}>
      {text}
    </pre>
  );
}

/** Undefined if the bytes are no text in UTF-8. */
export function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function Picture({ type, bytes, name }: { type: string; bytes: ArrayBuffer; name: string }) {
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (isBroken) return <p>The browser cannot show this picture.</p>;
  return url === undefined ? null : (
    <img class="preview" src={url} alt={name} onError={() => setBroken(true)} />
  );
}
