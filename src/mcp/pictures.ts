import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, QueryInput } from '../contract/types/index.js';
import type { Computer } from './computers.js';
import { wordsOf } from './element-lines.js';
import type { Service } from './service.js';

/** Longest edge of a picture: models scale larger ones themselves, and then miss what they click. */
const LONG_EDGE = 1280;
/** Most characters of a picture in base64: clients refuse results of more than 1 MB. */
const MOST_CHARACTERS = 900_000;
/** Qualities of JPEG that are tried for a picture that is too large as PNG. */
const QUALITIES = [80, 50, 20];

type Content = CallToolResult['content'];
type Picture = Pick<
  Answer<'screenshot'>,
  ('image' | 'format' | 'width' | 'height' | 'control_notice') | ('frame' | 'marks' | 'truncated')
>;

/** The factor of pictures of this computer, which applies to coordinates as well. */
export function scaleOf({ resolution: { width, height } }: Pick<Computer, 'resolution'>): number {
  return Math.min(1, LONG_EDGE / Math.max(width, height));
}

/** A picture of the screen within the limits, with or without marks, as content of a result. */
export async function takePicture(
  service: Service,
  computer: Computer,
  signal: AbortSignal | undefined,
  { first, marks }: { readonly first?: Picture; readonly marks?: boolean } = {},
): Promise<Content> {
  const scale = scaleOf(computer);
  const marked = marks ? ({ marks: '1' } as const) : {};
  let picture = first ?? (await take(service, computer, { scale, settle: '1', ...marked }, signal));
  const { control_notice: notice } = picture;
  for (const quality of QUALITIES) {
    if (picture.image.length <= MOST_CHARACTERS) break;
    const query = { scale, format: 'jpeg', quality, ...marked } as const;
    picture = await take(service, computer, query, signal);
  }
  const { image: data, format, width, height } = picture;
  const text = `The screen of ${JSON.stringify(computer.name)}, ${width}x${height} pixels. Coordinates are pixels of this picture.${notice === undefined ? '' : ` ${notice}`}`;
  return [
    { type: 'image', data, mimeType: `image/${format}` },
    { type: 'text', text },
    ...markLines(picture),
  ];
}

/** The list of the marks in a picture. */
function markLines({ frame, marks = [], truncated }: Picture): Content {
  if (frame === undefined) return [];
  const head = `Marks of the frame ${frame}: number, role, "name", = "value", states.`;
  const end = truncated ? ['There are more elements.'] : [];
  const lines = marks.map((each) => [each.mark, ...wordsOf(each)].join(' '));
  return [{ type: 'text', text: [head, ...lines, ...end].join('\n') }];
}

function take(
  service: Service,
  { id }: Computer,
  query: QueryInput<'screenshot'>,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  return service.request('screenshot', {
    params: { id },
    query,
    ...(signal && { signal }),
  });
}
