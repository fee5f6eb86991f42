/** @jsxImportSource preact */
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf } from '../page/address.ts';
import { ConnectionName, KnownConnections } from '../page/connection-name.tsx';
import { Page } from '../page/elements.tsx';
import { Badge, Facts, When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { Content } from './content.tsx';
import { Consumers, Refusals } from './life.tsx';
import { Neighbours } from './neighbours.tsx';

type Life = AnswerOf<'workspace.message'>;

const factsOf = (w: string, life: Life) => {
  const facts: (readonly [string, preact.ComponentChildren])[] = [
    ['message_id', <code key="id">{life.message_id}</code>],
  ];
  if (life.correlation_id !== undefined)
    facts.push([
      'correlation_id',
      <a key="story" href={addressOf('activity', { w }, { correlation: life.correlation_id })}>
        <code>{life.correlation_id}</code>
      </a>,
    ]);
  if (life.system_id !== undefined) facts.push(['Sent as', <code key="system">{life.system_id}</code>]);
  if (life.producer_id !== undefined)
    facts.push(['Sent by', <ConnectionName key="by" id={life.producer_id} />]);
  if (life.accepted_at !== undefined) facts.push(['Accepted', <When key="at" at={life.accepted_at} />]);
  if (life.size_bytes !== undefined) facts.push(['Size', `${life.size_bytes.toLocaleString()} bytes`]);
  if (life.repeated_at.length > 0)
    facts.push(['Sent again', `${life.repeated_at.length} times: the bus took it once`]);
  return facts;
};

const Verdict = ({ life }: { readonly life: Life }) =>
  life.verdict === 'accepted' ? (
    <p>
      <Badge tone="right">Accepted</Badge>
    </p>
  ) : (
    <p>
      <Badge tone="wrong">Refused</Badge> The bus does not keep the text of refused messages.
    </p>
  );

const Shown = ({ w, life, again }: { readonly w: string; readonly life: Life; again(): void }) => (
  <>
    <Verdict life={life} />
    <Facts facts={factsOf(w, life)} />
    {life.refusals.length > 0 && (
      <>
        <h2>Why it was refused</h2>
        <Refusals w={w} life={life} />
      </>
    )}
    {life.verdict === 'accepted' && (
      <>
        <div class="heading">
          <h2>Where it is</h2>
          <button type="button" onClick={again}>
            Look again
          </button>
        </div>
        <Consumers w={w} life={life} again={again} />
        <Content w={w} life={life} />
        <Neighbours w={w} life={life} />
      </>
    )}
  </>
);

/** What became of one message. */
export const MessagePage = ({
  names: { w, m },
}: {
  readonly names: { readonly w: string; readonly m: string };
}) => {
  const loading = useCall('workspace.message', { names: { w, m } });
  const shown = useCall('workspace.show', { names: { w } });
  return (
    <Page title={loading.value?.message_type ?? 'Message'}>
      {loading.failure?.kind === 'refused' && loading.failure.code === 'portal.not_found' ? (
        <p class="empty">
          This workspace knows no message <code>{m}</code>: it was never published here, or it is too old.{' '}
          <a href={addressOf('activity', { w })}>See what happened</a>, or, if this is a correlation_id,{' '}
          <a href={addressOf('story', { w }, { correlation: m })}>see its story</a>.
        </p>
      ) : (
        <KnownConnections.Provider value={shown.value?.connections ?? []}>
          <Loaded loading={loading}>{life => <Shown w={w} life={life} again={loading.again} />}</Loaded>
        </KnownConnections.Provider>
      )}
    </Page>
  );
};
