/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { IssuedAnswer, MakerAnswer } from '../../lib/contract/work-answers.ts';
import { addressOf, goTo } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { LinesField, linesIn } from '../page/fields.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { Issued } from './issued.tsx';
import { patternsIn, problemWithTypes, TypesField } from './types-field.tsx';

type Kind = 'producer' | 'consumer';

interface Draft {
  readonly kind: Kind;
  readonly app: string;
  readonly systems: string;
  readonly types: string;
  readonly sources: string;
}

/** What the draft asks the service for. */
const requestOf = ({ kind, app, systems, types, sources }: Draft, organisation: string) => ({
  kind,
  app,
  organisation_id: organisation,
  ...(kind === 'producer'
    ? { system_ids: linesIn(systems), grants: patternsIn(types) }
    : { sources: linesIn(sources), receives: patternsIn(types) }),
});

const kinds: readonly (readonly [Kind, string])[] = [
  ['producer', 'Producer: sends messages'],
  ['consumer', 'Consumer: receives messages'],
];

type Change = (part: Partial<Draft>) => void;

const KindChoice = ({
  maker,
  kind,
  change,
}: {
  readonly maker: MakerAnswer;
  readonly kind: Kind;
  readonly change: Change;
}) => (
  <fieldset class="ticks">
    <legend>Kind</legend>
    {kinds
      .filter(([name]) => maker.kinds.includes(name))
      .map(([name, text]) => (
        <label key={name}>
          <input
            type="radio"
            name="kind"
            checked={kind === name}
            onChange={() => change({ kind: name, types: '' })}
          />{' '}
          {text}
        </label>
      ))}
  </fieldset>
);

const AppField = ({ app, change }: { readonly app: string; readonly change: Change }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>App</label>
      <p id={`${id}-about`} class="about">
        The system that connects, such as Rundown. A new name makes a new app.
      </p>
      <input
        id={id}
        type="text"
        value={app}
        aria-describedby={`${id}-about`}
        onInput={event => change({ app: event.currentTarget.value })}
      />
    </div>
  );
};

/** What a connection of a kind may send or receive. */
const PermissionFields = ({
  maker,
  draft: { kind, types, systems, sources },
  change,
}: {
  readonly maker: MakerAnswer;
  readonly draft: Draft;
  readonly change: Change;
}) => (
  <>
    <TypesField
      key={kind}
      label={kind === 'producer' ? 'May send' : 'Receives'}
      about="Message types, families such as story.*, or * for everything; with spaces between them."
      text={types}
      allowed={kind === 'producer' ? maker.grants : maker.receives}
      change={text => change({ types: text })}
    />
    {kind === 'producer' ? (
      <LinesField
        label="Sends as (optional)"
        about="The system_ids that its messages carry, one on each line. Without any: the app’s name."
        text={systems}
        change={text => change({ systems: text })}
      />
    ) : (
      <LinesField
        label="From (optional)"
        about="Only messages of these system_ids, one on each line. Without any: of all systems."
        text={sources}
        change={text => change({ sources: text })}
      />
    )}
  </>
);

const isReady = ({ app, types }: Draft): boolean =>
  app.trim() !== '' && patternsIn(types).length > 0 && problemWithTypes(types) === undefined;

const Form = ({
  w,
  maker,
  onIssued,
}: {
  readonly w: string;
  readonly maker: MakerAnswer;
  onIssued(issued: IssuedAnswer): void;
}) => {
  const [kind = 'producer'] = maker.kinds;
  const draft = useSignal<Draft>({ kind, app: '', systems: '', types: '', sources: '' });
  const attempt = useAttempt();
  const change: Change = part => {
    draft.value = { ...draft.value, ...part };
  };
  const body = requestOf(draft.value, maker.organisation_id);
  const make = () =>
    attempt.run(
      () => call('connection.make', { names: { w }, body }),
      onIssued,
      'The connection is made. Its secret is shown once.',
    );
  return (
    <form
      class="instance"
      onSubmit={event => {
        event.preventDefault();
        if (isReady(draft.value)) void make();
      }}
    >
      <KindChoice maker={maker} kind={draft.value.kind} change={change} />
      <AppField app={draft.value.app} change={change} />
      <PermissionFields maker={maker} draft={draft.value} change={change} />
      <AttemptTrouble attempt={attempt} />
      <p>
        <button type="submit" class="main" disabled={!isReady(draft.value) || attempt.isBusy}>
          {attempt.isBusy ? 'Making it…' : 'Make the connection'}
        </button>
      </p>
    </form>
  );
};

/** Makes a connection, and shows its secret once. */
export const MakePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  const issued = useSignal<IssuedAnswer | undefined>(undefined);
  const chosen = useSignal(0);
  if (issued.value)
    return (
      <Page title="The connection is made">
        <Issued
          issued={issued.value}
          onDone={() => goTo(addressOf('connection', { w, c: issued.value?.connection_id ?? '' }))}
        />
      </Page>
    );
  return (
    <Page title="Make a connection" lead="It works within a minute, with a secret that is shown once.">
      <Loaded loading={loading}>
        {({ makers }) => {
          const maker = makers[chosen.value];
          if (!maker)
            return <p class="empty">Your role does not allow this here. An editor makes connections.</p>;
          return (
            <>
              {makers.length > 1 && (
                <label class="filter">
                  For
                  <select
                    value={chosen.value}
                    onInput={event => (chosen.value = event.currentTarget.selectedIndex)}
                  >
                    {makers.map(({ organisation_id, name }, at) => (
                      <option key={organisation_id} value={at}>
                        {name}
                      </option>
                    ))}
                  </select>
                </label>
              )}
              <Form
                key={maker.organisation_id}
                w={w}
                maker={maker}
                onIssued={made => (issued.value = made)}
              />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
};
