import SpaceBetween from '@cloudscape-design/components/space-between';
import { Confirm } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { List } from '../page/list.tsx';
import { When } from '../page/time.tsx';
import type { ConnectionPart } from './part.ts';

const hour = 3600;

/** How long the old secret works beside the new one. */
const overlaps = (
  [
    [0, 'ends at once'],
    [hour, 'works for another hour'],
    [24 * hour, 'works for another day'],
    [7 * 24 * hour, 'works for another 7 days'],
    [30 * 24 * hour, 'works for another 30 days'],
  ] as const
).map(([seconds, label]) => ({ value: `${seconds}`, label }));

/** Ends every secret at once, and makes a new one: for one that somebody else may know. */
export const Leaked = ({ connection, change, send }: ConnectionPart) => {
  const { app_name: app, secrets, status } = connection;
  const replace = async () => {
    if (!secrets.previous) return send('connection.rotate', { overlap_seconds: 0 });
    // No third secret is made while two of them work.
    const ended = await send('connection.endSecret', { which: 'previous' });
    if (ended.kind !== 'ok') return ended;
    return send('connection.rotate', { version: ended.value.version, overlap_seconds: 0 });
  };
  const isOffered =
    connection.is_own && connection.may_change && status !== 'revoked' && secrets.current;
  if (!isOffered) return null;
  return (
    <Confirm
      button="Secret leaked"
      title={`Replace the secret of ${app}`}
      {...change('connection.rotate', {})}
      send={replace}
    >
      {secrets.previous ? `Both secrets of ${app} end` : `The secret of ${app} ends`} immediately:
      programs that use {secrets.previous ? 'them' : 'it'} get no more tokens, and stop until they
      have the new one, which is shown next. Tokens already issued stop working within 30 seconds.
    </Confirm>
  );
};

interface Secret {
  readonly which: 'current' | 'previous';
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly used?: string | undefined;
}

const secretsOf = ({ secrets }: ConnectionPart['connection']): readonly Secret[] => {
  const { current, previous } = secrets;
  const all: Secret[] = [];
  if (current) all.push({ which: 'current', from: current.issued_at, used: current.last_used_at });
  if (previous)
    all.push({ which: 'previous', until: previous.valid_until, used: previous.last_used_at });
  return all;
};

const usedWords = ({ which, used }: Secret): string => {
  if (which === 'current')
    return (
      'Programs that use this secret get no more tokens, immediately. Tokens already issued ' +
      'stop working within 30 seconds.'
    );
  if (used) return 'It has been used: make sure that every program has the new one.';
  return 'It was never used.';
};

const whenOr = (at: string | undefined, words: string) =>
  at === undefined ? words : <When at={at} />;

/** The secrets of a connection: when they were used, and new ones. */
export const Secrets = ({ connection, change }: ConnectionPart) => (
  <SpaceBetween size="l">
    <List
      isEmbedded
      title="Secrets"
      items={secretsOf(connection)}
      of="which"
      empty="There is no current secret: rotate to get one."
      columns={[
        ['Secret', ({ which }) => which],
        ['Issued', ({ from }) => whenOr(from, '–')],
        ['Works until', ({ until }) => whenOr(until, 'it is revoked')],
        ['Last used', ({ used }) => whenOr(used, 'never')],
        connection.may_change && [
          'Action',
          secret => (
            <Confirm
              button="Revoke"
              label={`Revoke the ${secret.which} secret`}
              variant="inline-link"
              title={`Revoke the ${secret.which} secret of ${connection.app_name}`}
              {...change('connection.endSecret', { which: secret.which })}
            >
              {usedWords(secret)}
            </Confirm>
          ),
        ],
      ]}
    />
    {connection.may_change && (
      <Form
        first={{ overlap: `${24 * hour}` }}
        fields={() => [
          { name: 'overlap', label: 'After the rotation, the old secret', options: overlaps },
        ]}
        button="Rotate secret"
        variant="primary"
        work={({ overlap }) => change('connection.rotate', { overlap_seconds: Number(overlap) })}
      />
    )}
  </SpaceBetween>
);
