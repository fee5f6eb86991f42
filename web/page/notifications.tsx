import Button from '@cloudscape-design/components/button';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import { isNotRecorded, isSignedOut } from './call.ts';
import { useValue } from './cell.ts';
import { dismiss, type Flash, flashes } from './flash.ts';
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

const flashed = ({ id, type, text }: Flash): FlashbarProps.MessageDefinition => ({
  id: `${id}`,
  type,
  content: text,
  dismissible: true,
  dismissLabel: 'Dismiss',
  onDismiss: () => dismiss(id),
});

/** What is said above every page. */
export const Notifications = () => {
  const known = useValue(person);
  const hasEnded = useValue(isSignedOut);
  const isUnrecorded = useValue(isNotRecorded);
  const own = useValue(workspace)?.organisation;
  const all = useValue(flashes);

  const items: FlashbarProps.MessageDefinition[] = [];
  if (known && hasEnded) items.push(lostSession);
  if (own?.status === 'suspended') items.push(suspended(own.name));
  if (isUnrecorded) items.push(notRecorded);
  return <Flashbar items={[...items, ...all.map(flashed)]} />;
};
