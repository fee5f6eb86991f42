/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { IssuerAnswer } from '../../lib/contract/work-answers.ts';
import { Confirmed } from '../page/action.tsx';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';

const empty = { issuer: '', jwks_uri: '', audience: '', client_claim: 'azp' } as const;

type Draft = Readonly<Record<keyof typeof empty, string>>;

const fields: readonly (readonly [name: 'issuer' | 'jwks_uri' | 'audience', label: string])[] = [
  ['issuer', 'Issuer, exactly as in its tokens'],
  ['jwks_uri', 'Address of its key set'],
  ['audience', 'Audience of its tokens'],
];

const AddForm = ({ w, onDone }: { readonly w: string; onDone(): void }) => {
  const draft = useSignal<Draft>(empty);
  const attempt = useAttempt();
  const change = (name: keyof Draft, text: string): void => {
    draft.value = { ...draft.value, [name]: text };
  };
  const add = () =>
    attempt.run(
      () => call('connection.addIssuer', { names: { w }, body: draft.value }),
      () => {
        draft.value = empty;
        onDone();
      },
      'The identity provider is added.',
    );
  return (
    <form
      class="action"
      onSubmit={event => {
        event.preventDefault();
        void add();
      }}
    >
      {fields.map(([name, label]) => (
        <label key={name}>
          {label}
          <input
            type="text"
            required
            value={draft.value[name]}
            onInput={event => change(name, event.currentTarget.value)}
          />
        </label>
      ))}
      <label>
        The claim that names the client
        <select
          value={draft.value.client_claim}
          onInput={event => change('client_claim', event.currentTarget.value)}
        >
          {['azp', 'client_id', 'sub'].map(claim => (
            <option key={claim}>{claim}</option>
          ))}
        </select>
      </label>
      <AttemptTrouble attempt={attempt} />
      <button type="submit" disabled={attempt.isBusy}>
        Add the identity provider
      </button>
    </form>
  );
};

/** The identity providers of a workspace: their clients can act for connections once they are bound. */
export const Issuers = ({
  w,
  issuers,
  again,
}: {
  readonly w: string;
  readonly issuers: readonly IssuerAnswer[];
  again(): void;
}) => {
  const attempt = useAttempt();
  const remove = (issuer: string) =>
    void attempt.run(
      () => call('connection.removeIssuer', { names: { w }, body: { issuer } }),
      again,
      'The identity provider is removed.',
    );
  return (
    <>
      <h2>Identity providers</h2>
      <p class="about">
        Programs that have tokens of your own identity provider need no secret of the bus. Add the provider
        here, then bind its clients on the pages of their connections.
      </p>
      <ul>
        {issuers.map(({ issuer, audience }) => (
          <li key={issuer}>
            <code>{issuer}</code>, for <code>{audience}</code>{' '}
            <Confirmed
              button="Remove"
              question={`Its clients can no longer send, within 30 seconds. Remove ${issuer}?`}
              run={() => remove(issuer)}
            />
          </li>
        ))}
      </ul>
      <AttemptTrouble attempt={attempt} />
      <details>
        <summary>Add an identity provider</summary>
        <AddForm w={w} onDone={again} />
      </details>
    </>
  );
};
