import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Image, Lists } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { CreateComputer } from '../wall/create-computer.js';
import { DeleteImage } from './delete-image.js';
import { ImageDetails } from './image-details.js';
import { isSaved, usersOf } from './users.js';

const COLUMNS = [
  'Name',
  'Engine',
  'System',
  'Kind',
  'State',
  { text: 'Size', kind: 'number' },
  { text: 'Used by', kind: 'number' },
  'Made',
  ACTIONS,
] as const;

interface Open {
  readonly kind: 'details' | 'create' | 'delete';
  readonly image: Image;
}

/** The machine images of every engine, those for all owners, and those of the owner. */
export function Images() {
  const { value, failure, reload } = useData('images', (signal) =>
    call<Lists['images']>('GET', '/images', { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const images = value?.images ?? [];
  return (
    <Page
      title="Images"
      lead="What computers are made from: built on the service's host, or saved from a computer."
    >
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
              <td class="number nowrap">{usersOf(image)}</td>
              <td>
                <Time at={image.created_at} />
              </td>
              <RowActions of={image.name} may={image.kind !== 'template'}>
                <Item icon="images" onClick={() => setOpen({ kind: 'details', image })}>
                  Details…
                </Item>
                <Item
                  icon="plus"
                  disabled={!may.value('manage')}
                  onClick={() => setOpen({ kind: 'create', image })}
                >
                  New computer…
                </Item>
                <Item
                  icon="trash"
                  danger
                  disabled={!may.value('manage') || !isSaved(image)}
                  onClick={() => setOpen({ kind: 'delete', image })}
                >
                  Delete…
                </Item>
              </RowActions>
            </tr>
          ))}
        </Table>
      )}
      {open?.kind === 'details' && <ImageDetails image={open.image} onClose={close} />}
      {open?.kind === 'create' && <CreateComputer image={open.image.name} onClose={close} />}
      {open?.kind === 'delete' && (
        <DeleteImage
          image={open.image}
          onDone={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}
