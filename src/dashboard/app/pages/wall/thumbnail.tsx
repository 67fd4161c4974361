import { useEffect, useRef, useState } from 'preact/hooks';
import { request } from '../../api/http.js';
import type { WallComputer } from '../../api/types.js';
import { isVisible } from '../../state/visibility.js';

/** Time between two pictures of one computer, in milliseconds. */
const LEAST_MS = 1_000;
const WIDTH = 320;

/** The picture of a computer: read only while it can be seen, and at most once a second. */
export function Thumbnail({ computer }: { computer: WallComputer }) {
  const { id, seq, status } = computer;
  const frame = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [url, setUrl] = useState<string>();
  const last = useRef({ at: 0, seq: -1 });
  useEffect(() => {
    const observer = new IntersectionObserver((entries) =>
      setSeen(entries.at(-1)?.isIntersecting ?? false),
    );
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const isOn = status === 'running';
  const isWanted = isSeen && isOn && isVisible.value;
  useEffect(() => {
    if (!isWanted || last.current.seq === seq) return undefined;
    const left = new AbortController();
    const read = async () => {
      const path = `/computers/${id}/thumbnail?width=${WIDTH}&seq=${seq}`;
      last.current.at = performance.now();
      const picture = await request('GET', path, { accept: 'image/jpeg', signal: left.signal });
      const blob = await picture.blob();
      last.current.seq = seq;
      setUrl(URL.createObjectURL(blob));
    };
    const pause = Math.max(0, last.current.at + LEAST_MS - performance.now());
    // A picture that fails is not worth a message; the next change brings another.
    const timer = setTimeout(() => void read().catch(() => undefined), pause);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [id, seq, isWanted]);
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url]);
  return (
    <div class="thumbnail" ref={frame} data-on={isOn}>
      {isOn && url !== undefined ? <img src={url} alt="" /> : <span aria-hidden="true" />}
    </div>
  );
}
