import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { Confirm, useDoing } from '../page/doing.tsx';
import { When } from '../page/time.tsx';
import type { ConnectionPart } from './connection-page.tsx';

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
export const Leaked = ({ connection, change, again }: ConnectionPart) => {
  const doing = useDoing(again);
  const { app_name: app, secrets, status } = connection;
  const rotate = (version: string) => change(doing, 'connection.rotate', { version, overlap_seconds: 0 });
  /** No third secret is made while two of them work. */
  const replace = async () => {
    let { version } = connection;
    const end = { which: 'previous' };
    const isEnded =
      !secrets.previous ||
      (await change(doing, 'connection.endSecret', end, response => {
        version = response.version;
      }));
    return isEnded && rotate(version);
  };
  const isOffered = connection.is_own && connection.may_change && status !== 'revoked' && secrets.current;
  if (!isOffered) return null;
  return (
    <Confirm button="Secret leaked" title={`Replace the secret of ${app} now?`} doing={doing} run={replace}>
      {secrets.previous ? 'Both secrets of ' : 'The secret of '}
      {app} {secrets.previous ? 'end' : 'ends'} at once: programs that use {secrets.previous ? 'them' : 'it'}{' '}
      get no more tokens, and stop until they have the new one, which is shown next. Tokens that are out work
      until they expire.
    </Confirm>
  );
};

interface Secret {
  readonly which: 'current' | 'previous';
  readonly from?: string;
  readonly until?: string;
  readonly used?: string;
}

const secretsOf = ({ secrets: { current, previous } }: ConnectionPart['connection']): readonly Secret[] => [
  ...(current
    ? [
        {
          which: 'current' as const,
          from: current.issued_at,
          ...(current.last_used_at ? { used: current.last_used_at } : {}),
        },
      ]
    : []),
  ...(previous
    ? [
        {
          which: 'previous' as const,
          until: previous.valid_until,
          ...(previous.last_used_at ? { used: previous.last_used_at } : {}),
        },
      ]
    : []),
];

const Revoke = ({ secret, ...part }: ConnectionPart & { readonly secret: Secret }) => {
  const doing = useDoing(part.again);
  const app = part.connection.app_name;
  return (
    <Confirm
      button="Revoke"
      label={`Revoke the ${secret.which} secret`}
      variant="inline-link"
      title={`Revoke the ${secret.which} secret of ${app}?`}
      doing={doing}
      run={() => part.change(doing, 'connection.endSecret', { which: secret.which })}
    >
      {secret.which === 'current'
        ? 'Programs that use this secret get no more tokens, at once.'
        : secret.used
          ? 'It was used: make sure that every program has the new one.'
          : 'It was never used.'}
    </Confirm>
  );
};

const Rotate = ({ change, again }: ConnectionPart) => {
  const [overlap, setOverlap] = useState(overlaps[2]);
  const doing = useDoing(again);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void change(doing, 'connection.rotate', { overlap_seconds: Number(overlap?.value) });
      }}
    >
      <SpaceBetween size="m">
        <FormField label="After the rotation, the old secret">
          <Select
            selectedOption={overlap ?? null}
            options={overlaps}
            onChange={({ detail }) =>
              setOverlap(overlaps.find(({ value }) => value === detail.selectedOption.value))
            }
          />
        </FormField>
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Rotate secret
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** The secrets of a connection: when they were used, and new ones. */
export const Secrets = (part: ConnectionPart) => (
  <SpaceBetween size="l">
    <Table
      variant="embedded"
      header={<Header variant="h2">Secrets</Header>}
      items={secretsOf(part.connection)}
      trackBy="which"
      empty={<Box>There is no current secret: rotate to get one.</Box>}
      columnDefinitions={[
        { id: 'which', header: 'Secret', isRowHeader: true, cell: ({ which }) => which },
        {
          id: 'from',
          header: 'Issued',
          cell: ({ from }) => (from === undefined ? '–' : <When at={from} />),
        },
        {
          id: 'until',
          header: 'Works until',
          cell: ({ until }) => (until === undefined ? 'revoked' : <When at={until} />),
        },
        {
          id: 'used',
          header: 'Last used',
          cell: ({ used }) => (used === undefined ? 'never' : <When at={used} />),
        },
        ...(part.connection.may_change
          ? [
              {
                id: 'revoke',
                header: 'Action',
                cell: (secret: Secret) => <Revoke {...part} secret={secret} />,
              },
            ]
          : []),
      ]}
    />
    {part.connection.may_change && <Rotate {...part} />}
  </SpaceBetween>
);
