import type { Member } from '../../api/types.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { tell } from '../../state/notices.js';
import { drainConsequences, returnConsequences } from './describe.js';

/** The dialog that is open. */
export interface OpenHost {
  readonly kind: 'drain' | 'return';
  readonly of: Member;
}

interface HostDialogProps {
  readonly open: OpenHost;
  readonly members: readonly Member[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Confirms that a member is drained or returned, and says what happens. */
export function HostDialog({ open: { kind, of }, members, onDone, onClose }: HostDialogProps) {
  // As it is now, not as it was when the dialog was opened.
  const member = members.find(({ name }) => name === of.name) ?? of;
  const isDrain = kind === 'drain';
  const path = `/cluster/members/${encodeURIComponent(member.name)}/${kind}`;
  const consequences = isDrain ? drainConsequences(member, members) : returnConsequences(member);
  const words = ['cluster', kind, member.name];
  return (
    <FormDialog
      title={`${isDrain ? 'Drain' : 'Return'} ${member.name}?`}
      submit={isDrain ? 'Drain member' : 'Return member'}
      danger={isDrain}
      intent={() => ({ method: 'POST', path, vc: isDrain ? [...words, '--detach'] : words })}
      onDone={() => {
        tell(isDrain ? `${member.name} is being drained` : `${member.name} was returned`);
        onDone();
      }}
      onClose={onClose}
    >
      <ul class="consequences">
        {consequences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </FormDialog>
  );
}
