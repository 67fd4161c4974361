import { call } from '../../api/http.js';
import type { Lists } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { useData } from '../../state/use-data.js';

const COLUMNS = [
  'Name',
  'Engine',
  'System',
  'Kind',
  'State',
  { text: 'Size', kind: 'number' },
  'Built',
] as const;

/** The machine images of every engine. */
export function Images() {
  const { value, failure } = useData('images', (signal) =>
    call<Lists['images']>('GET', '/images', { signal }),
  );
  const images = value?.images ?? [];
  return (
    <Page title="Images" lead="What computers are made from. They are built on the service's host.">
      <FailureNote failure={failure} />
      {value?.failures.map(({ engine, reason }) => (
        <p class="failure break" key={engine}>
          <Icon name="warning" />
          {engine}: {reason}
        </p>
      ))}
      {value !== undefined && images.length === 0 && (
        <Empty title="No images yet">
          <p>Build one on the service's host:</p>
          <Commands lines={['vc image build linux']} />
        </Empty>
      )}
      {images.length > 0 && (
        <Table columns={COLUMNS}>
          {images.map((image) => (
            <tr key={`${image.engine} ${image.kind} ${image.name} ${image.key}`}>
              <th scope="row">{image.name}</th>
              <td>{image.engine}</td>
              <td>{image.os}</td>
              <td>
                {image.kind}
                {image.cpu !== null && (
                  <span class="muted">
                    {' '}
                    {image.cpu} CPU, {image.ram} GB
                  </span>
                )}
              </td>
              <td>
                <span class={image.status === 'ready' ? 'outcome' : 'outcome wait'}>
                  {image.status}
                </span>
              </td>
              <td class="number nowrap">{formatBytes(image.bytes)}</td>
              <td>
                <Time at={image.created_at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Page>
  );
}
