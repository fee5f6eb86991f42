/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf, goTo } from '../page/address.ts';
import type { OpenWorkspace } from '../page/places.ts';

/** Leads to a message by its id. */
const FindMessage = ({ w }: { readonly w: string }) => {
  const id = useId();
  const typed = useSignal('');
  return (
    <form
      class="find"
      onSubmit={event => {
        event.preventDefault();
        const m = typed.value.trim();
        if (m !== '') goTo(addressOf('message', { w, m }));
      }}
    >
      <label for={id}>message_id</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={event => {
          typed.value = event.currentTarget.value;
        }}
      />
      <button type="submit" disabled={typed.value.trim() === ''}>
        Find it
      </button>
    </form>
  );
};

const Queues = ({ w, connections }: { readonly w: string; readonly connections: Connections }) => {
  const consumers = connections
    .filter(({ kind, status }) => kind === 'consumer' && status !== 'revoked')
    .sort((a, b) => a.app_name.localeCompare(b.app_name));
  return consumers.length === 0 ? (
    <p class="empty">There is no consumer yet, so nothing waits.</p>
  ) : (
    <ul class="inline-list">
      {consumers.map(({ connection_id: c, app_name: app }) => (
        <li key={c}>
          <a href={addressOf('queue', { w, c })} title={c}>
            {app}
          </a>
        </li>
      ))}
    </ul>
  );
};

type Connections = AnswerOf<'workspace.show'>['connections'];

/** What people ask every day, and where the answer is. */
export const Questions = ({
  workspace: { id: w, organisation },
  connections,
}: {
  readonly workspace: OpenWorkspace;
  readonly connections: Connections;
}) => (
  <>
    <h2>Where is my message?</h2>
    <FindMessage w={w} />
    <p class="quiet">
      Without its id: <a href={addressOf('activity', { w })}>look at the activity</a>, or{' '}
      <a href={addressOf('story', { w })}>find its story</a>.
    </p>
    <h2>What waits in a queue?</h2>
    <Queues w={w} connections={connections} />
    <h2>How does a colleague look too?</h2>
    <p>
      An owner makes a link on the page of{' '}
      <a href={addressOf('organisation', { o: organisation.organisation_id })}>{organisation.name}</a>, under
      “Invite a person”.
    </p>
  </>
);
