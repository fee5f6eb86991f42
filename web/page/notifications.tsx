import Button from '@cloudscape-design/components/button';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import { isNotRecorded, isSignedOut } from './call.ts';
import { useValue } from './cell.ts';
import { dismiss, flashes } from './flash.ts';
import { loadSession, person, signInUrl } from './session.ts';
import { workspace } from './workspaces.ts';

/**
 * For somebody whose session has ended while a page was open: signing in elsewhere keeps what was
 * typed here.
 */
const lostSession: FlashbarProps.MessageDefinition = {
  id: 'lost',
  type: 'warning',
  header: 'Your session has ended. What you typed is still here.',
  content: (
    <a href={signInUrl('/signed-in')} target="_blank" rel="noreferrer">
      Sign in again in a new tab
    </a>
  ),
  action: <Button onClick={() => void loadSession()}>I have signed in</Button>,
};

const notRecorded: FlashbarProps.MessageDefinition = {
  id: 'not recorded',
  type: 'warning',
  content:
    'Your change was made, but could not be written to the record of changes. Tell the ' +
    'operator when this happened.',
  dismissible: true,
  dismissLabel: 'Dismiss',
  onDismiss: () => {
    isNotRecorded.value = false;
  },
};

const suspended = (name: string): FlashbarProps.MessageDefinition => ({
  id: 'suspended',
  type: 'error',
  content: `${name} is suspended: its connections are refused until the operator resumes it.`,
});

/** What is said above every page. */
export const Notifications = () => {
  const [known, hasEnded, isUnrecorded] = [
    useValue(person),
    useValue(isSignedOut),
    useValue(isNotRecorded),
  ];
  const own = useValue(workspace)?.organisation;
  const items: FlashbarProps.MessageDefinition[] = useValue(flashes).map(({ id, type, text }) => ({
    id: `${id}`,
    type,
    content: text,
    dismissible: true,
    dismissLabel: 'Dismiss',
    onDismiss: () => dismiss(id),
  }));
  return (
    <Flashbar
      items={[
        ...(known && hasEnded ? [lostSession] : []),
        ...(own?.status === 'suspended' ? [suspended(own.name)] : []),
        ...(isUnrecorded ? [notRecorded] : []),
        ...items,
      ]}
    />
  );
};
