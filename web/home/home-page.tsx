import { isSignedOut } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { organisations, workspace } from '../page/places.ts';
import { isOperator, person, session, signInAddress } from '../page/session.ts';
import { Trouble } from '../page/trouble.tsx';
import { FirstSteps } from './first-steps.tsx';
import { AskForOrganisation } from './request.tsx';
import { Waiting } from './waiting.tsx';

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

/** What somebody who belongs somewhere sees. */
const Overview = () => {
  const known = organisations.value;
  if (known === undefined) return <p class="quiet">Loading…</p>;
  return (
    <>
      {known
        .filter(({ status }) => status === 'requested')
        .map(({ organisation_id: o, name }) => (
          <p key={o} class="notice">
            {name} waits for the operator, who approves it and picks its tier.
          </p>
        ))}
      <Waiting isOperator={isOperator.value} workspace={workspace.value} />
      {workspace.value && <FirstSteps key={workspace.value.id} workspace={workspace.value} />}
      {known.length === 0 && <AskForOrganisation />}
    </>
  );
};

/** The first page: what waits, and the way to the first message. */
export const HomePage = () => {
  const reply = session.value;
  if (reply === undefined) return <p class="quiet">Loading…</p>;
  if (reply.kind === 'signed out' && isSignedOut.value) return <Welcome />;
  if (reply.kind !== 'ok') return <Trouble failure={reply} again={() => location.reload()} />;
  return (
    <Page title={`Hello, ${person.value?.name}`}>
      <Overview />
    </Page>
  );
};
