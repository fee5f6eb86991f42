import { Page } from '../page/elements.tsx';
import { person, session, signInAddress } from '../page/session.ts';
import { Trouble } from '../page/trouble.tsx';

/** For somebody who is not signed in. */
const Welcome = () => (
  <Page title="som-bus" lead="The message bus for functional tests of SOM 1.0 messages.">
    <p>Sign in to see what happened to your messages, and to look after your connections.</p>
    <p>
      <a class="button main" href={signInAddress('/')}>
        Sign in
      </a>
    </p>
  </Page>
);

/** The first page. */
export const HomePage = () => {
  const reply = session.value;
  if (reply === undefined) return <p class="quiet">Loading…</p>;
  if (reply.kind === 'signed out') return <Welcome />;
  if (reply.kind !== 'ok') return <Trouble failure={reply} again={() => location.reload()} />;
  return (
    <Page title={`Good day, ${person.value?.name}`}>
      <p>You are signed in.</p>
    </Page>
  );
};
