import { useRef, useState } from 'preact/hooks';
import { API } from '../../api/addresses.js';
import { Failure } from '../../api/failure.js';
import { query } from '../../api/http.js';
import { Icon } from '../../components/icon.js';
import { tell, tellFailure } from '../../state/notices.js';

/** Uploads at the same time; the others wait. */
const AT_ONCE = 2;

interface Upload {
  readonly id: number;
  readonly name: string;
  /** 0 to 1. */
  readonly done: number;
  readonly cancel: () => void;
}

/** Uploads in progress, and starting more. */
export function useUploads(base: string, onDone: () => void) {
  const [list, setList] = useState<readonly Upload[]>([]);
  const waiting = useRef<(() => Promise<void>)[]>([]);
  const running = useRef(0);
  const last = useRef(0);
  const next = () => {
    if (running.current >= AT_ONCE) return;
    const task = waiting.current.shift();
    if (task === undefined) return;
    running.current += 1;
    void task().finally(() => {
      running.current -= 1;
      next();
    });
  };
  const send = (file: File, path: string) => {
    last.current += 1;
    const id = last.current;
    const left = new AbortController();
    const drop = () => setList((all) => all.filter((each) => each.id !== id));
    const cancel = () => {
      left.abort();
      drop();
    };
    setList((all) => [...all, { id, name: file.name, done: 0, cancel }]);
    waiting.current.push(async () => {
      const onProgress = (done: number) =>
        setList((all) => all.map((each) => (each.id === id ? { ...each, done } : each)));
      try {
        await put(`${API}${base}/files${query({ path })}`, file, {
          signal: left.signal,
          onProgress,
        });
        tell(`${file.name} uploaded`);
        onDone();
      } catch (error) {
        if (!left.signal.aborted) tellFailure(`Could not upload ${file.name}`, error);
      } finally {
        drop();
      }
    });
    next();
  };
  return { list, send };
}

interface PutOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** Sends a file as a stream. XMLHttpRequest, because fetch does not tell the progress of an upload. */
function put(url: string, file: File, { signal, onProgress }: PutOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('x-vc-page', '1');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => (request.status === 200 ? resolve() : reject(failureOf(request)));
    request.onerror = () => reject(failureOf(request));
    signal.addEventListener('abort', () => {
      request.abort();
      reject(signal.reason);
    });
    if (signal.aborted) reject(signal.reason);
    else request.send(file);
  });
}

function failureOf(request: XMLHttpRequest): Failure {
  const { status } = request;
  const said = /"error":\s*("(?:[^"\\]|\\.)*")/.exec(request.responseText)?.[1];
  const message = said === undefined ? 'The upload was interrupted.' : (JSON.parse(said) as string);
  return new Failure(message, {
    status,
    code: request.getResponseHeader('x-error-code') ?? 'unknown',
    remedy: request.getResponseHeader('x-error-remedy') ?? undefined,
    requestId: request.getResponseHeader('x-request-id') ?? undefined,
  });
}

export function UploadList({ uploads }: { uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  return (
    <ul class="plain uploads" aria-label="Uploads">
      {uploads.map(({ id, name, done, cancel }) => (
        <li key={id}>
          <span class="clip">{name}</span>
          <progress value={done} aria-label={`Upload of ${name}`} />
          <button type="button" class="ghost square" aria-label={`Cancel ${name}`} onClick={cancel}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
