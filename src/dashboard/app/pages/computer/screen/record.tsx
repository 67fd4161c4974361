import { useState } from 'preact/hooks';
import { API } from '../../../api/addresses.js';
import type { Computer } from '../../../api/types.js';
import { CopyAs } from '../../../components/forms/copy.js';
import { Dialog } from '../../../components/forms/dialog.js';
import { Choice } from '../../../components/forms/field.js';
import { Icon } from '../../../components/icon.js';
import { recordIntent } from './intents.js';

const LENGTHS = [
  { value: '10', text: '10 seconds' },
  { value: '30', text: '30 seconds' },
  { value: '60', text: '1 minute' },
  { value: '300', text: '5 minutes' },
  { value: '1800', text: '30 minutes' },
];
const RATES = ['15', '30', '60'].map((value) => ({ value, text: value }));

/** A recording is a download that lasts as long as the recording. */
export function RecordDialog({ computer, onClose }: { computer: Computer; onClose: () => void }) {
  const [duration, setDuration] = useState('30');
  const [fps, setFps] = useState('30');
  const intent = recordIntent(computer, { duration, fps });
  return (
    <Dialog title="Record the screen" onClose={onClose}>
      <div class="form">
        <div class="columns">
          <Choice
            label="Length"
            name="duration"
            value={duration}
            options={LENGTHS}
            onChange={setDuration}
          />
          <Choice
            label="Frames per second"
            name="fps"
            value={fps}
            options={RATES}
            onChange={setFps}
          />
        </div>
        <p class="muted">The browser saves it as an MP4 file while it is recorded.</p>
        <footer>
          <span class="copies">
            <CopyAs intent={() => intent} />
          </span>
          <a
            class="button primary"
            href={API + intent.path}
            download={`${computer.name}.mp4`}
            onClick={onClose}
          >
            <Icon name="record" />
            Record
          </a>
        </footer>
      </div>
    </Dialog>
  );
}
