/** @jsxImportSource preact */
import { addressOf } from '../page/address.ts';
import { isSignedOut } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { type OpenWorkspace, type OwnOrganisation, organisations, workspace } from '../page/places.ts';
import { isOperator, person, session, signInAddress } from '../page/session.ts';
import { Trouble, useCall } from '../page/trouble.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Questions } from './questions.tsx';
import { AskForOrganisation } from './request.tsx';
import { WaitingForOperator, WaitingInWorkspace } from './waiting.tsx';

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

/** A workspace: what waits there, and the way to its first message. */
const WorkspaceHome = ({ workspace: place }: { readonly workspace: OpenWorkspace }) => {
  const shown = useCall('workspace.show', { names: { w: place.id } });
  const connections = shown.value?.connections;
  return (
    <>
      {shown.failure && <Trouble failure={shown.failure} again={shown.again} />}
      {connections && <WaitingInWorkspace w={place.id} connections={connections} />}
      <FirstSteps workspace={place} connections={connections} />
      {connections && <Questions workspace={place} connections={connections} />}
    </>
  );
};

/** For somebody whose organisations have no workspace yet. */
const NoWorkspace = ({ known }: { readonly known: readonly OwnOrganisation[] }) => (
  <>
    <p>Connections and messages belong to a workspace, and there is none yet:</p>
    <ul>
      {known.map(({ organisation_id: o, name, may_add_workspaces }) => (
        <li key={o}>
          <a href={addressOf('organisation', { o })}>{name}</a>
          {may_add_workspaces
            ? ': make one there.'
            : ': its owner makes one, or a house invites it into one.'}
        </li>
      ))}
    </ul>
  </>
);

/** What somebody who belongs somewhere sees. */
const Overview = () => {
  const known = organisations.value;
  if (known === undefined) return <p class="quiet">Loading…</p>;
  return (
    <>
      {isOperator.value && <WaitingForOperator />}
      {workspace.value && <WorkspaceHome key={workspace.value.id} workspace={workspace.value} />}
      {workspace.value === undefined && known.length > 0 && <NoWorkspace known={known} />}
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
