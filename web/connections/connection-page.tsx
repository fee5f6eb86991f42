/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { PortalCallId } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { ConnectionDetail, IssuedAnswer } from '../../lib/contract/work-answers.ts';
import { Confirmed } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { Badge, Facts, When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { tones } from './connections-page.tsx';
import { Identity } from './identity.tsx';
import { Issued } from './issued.tsx';
import { Permissions } from './permissions.tsx';
import { Secrets } from './secrets.tsx';

/** The calls that change a connection, and answer with it. */
export type ChangeId = Extract<PortalCallId, `connection.${string}`> &
  {
    [Id in PortalCallId]: AnswerOf<Id> extends ConnectionDetail ? Id : never;
  }[PortalCallId];

/** What a change has come to, for whoever does not see the page. */
const changeWords: Readonly<Record<ChangeId, string>> = {
  'connection.show': 'The connection is shown.',
  'connection.make': 'The connection is made.',
  'connection.permit': 'The permissions are changed.',
  'connection.rotate': 'The secret is rotated. The new one is shown once.',
  'connection.endSecret': 'The secret has ended.',
  'connection.pause': 'The connection is paused.',
  'connection.resume': 'The connection works again.',
  'connection.revoke': 'The connection is revoked.',
  'connection.registerRole': 'The role is registered. It has to prove itself now.',
  'connection.endRole': 'The role has ended.',
  'connection.bindClient': 'The client is bound.',
  'connection.unbindClient': 'The client is unbound.',
};

/** What the parts of the page work with. */
export interface ConnectionPart {
  readonly w: string;
  readonly connection: ConnectionDetail;
  /** Makes a change of what is shown: it is declined if somebody else was faster. */
  change<Id extends ChangeId>(id: Id, body: object, then?: (answer: AnswerOf<Id>) => void): void;
  readonly isBusy: boolean;
}

const State = ({ connection, change, isBusy }: ConnectionPart) => {
  const { status, kind } = connection;
  if (status === 'revoked') return <p>A revoked connection stays revoked. Make a new one instead.</p>;
  const pauses =
    kind === 'producer'
      ? 'While it is paused, its messages are refused.'
      : 'While it is paused, it gets no new messages, but can empty its queue.';
  return (
    <>
      <p class="about">{pauses}</p>
      <p class="actions">
        {status === 'paused' ? (
          <button type="button" disabled={isBusy} onClick={() => change('connection.resume', {})}>
            Resume
          </button>
        ) : (
          <button type="button" disabled={isBusy} onClick={() => change('connection.pause', {})}>
            Pause
          </button>
        )}
      </p>
      <Confirmed
        button="Revoke"
        question={
          kind === 'producer'
            ? 'Its secrets stop working, for good. Revoke it?'
            : 'Its secrets stop working, and its queue is deleted with all that waits in it, for good. Revoke it?'
        }
        run={() => change('connection.revoke', {})}
      />
    </>
  );
};

const factsOf = (connection: ConnectionDetail) =>
  [
    ['State', <Badge tone={tones[connection.status]}>{connection.status}</Badge>],
    ['Kind', connection.kind],
    ['Id', <code>{connection.connection_id}</code>],
    ['Made', <When at={connection.created_at} />],
    [
      'Allowance',
      `${connection.quota.per_second} a second, bursts of ${connection.quota.burst}, ${connection.quota.per_day.toLocaleString()} a day (${connection.tier})`,
    ],
    ...(connection.queue_url ? [['Queue', <code>{connection.queue_url}</code>] as const] : []),
  ] as const;

/** Where else this connection is looked after. */
const Elsewhere = ({ w, connection: { kind, connection_id: c } }: ConnectionPart) => (
  <p class="actions">
    {kind === 'consumer' ? (
      <>
        <a class="button" href={addressOf('queue', { w, c })}>
          Its queue
        </a>
        <a class="button" href={addressOf('executor', { w, c })}>
          Its skills
        </a>
      </>
    ) : (
      <a class="button" href={addressOf('validate', { w }, { connection: c })}>
        Try a message
      </a>
    )}
  </p>
);

/** Another change leaves what was typed about these alone. */
const permissionsOf = ({ grants, receives, sources, system_ids }: ConnectionDetail): string =>
  JSON.stringify([grants, receives, sources, system_ids]);

/** What the connection has asked of the bus today, beside what it may. */
const Usage = ({ w, connection: { connection_id: c, quota } }: ConnectionPart) => {
  const used = useCall('connection.usage', { names: { w, c } }).value?.used_today;
  if (used === undefined) return null;
  const left = Math.max(0, quota.per_day - used);
  return (
    <p>
      Today (UTC) it has made {used.toLocaleString()} requests; {left.toLocaleString()} are left. Beyond its
      allowance, requests are answered with 429.
    </p>
  );
};

const Parts = (part: ConnectionPart) => {
  const { connection } = part;
  const isOpen = connection.status !== 'revoked';
  return (
    <>
      <Facts facts={factsOf(connection)} />
      {isOpen && <Usage {...part} />}
      <Elsewhere {...part} />
      {!connection.is_own && (
        <p class="notice">
          This connection belongs to a vendor.{' '}
          {connection.may_end &&
            'You can pause, resume and revoke it, and bind clients to it; the vendor does everything else.'}
        </p>
      )}
      <Permissions {...part} key={permissionsOf(connection)} />
      {isOpen && connection.is_own && <Secrets {...part} />}
      {isOpen && <Identity {...part} />}
      {(connection.may_end || !isOpen) && (
        <>
          <h2>State</h2>
          <State {...part} />
        </>
      )}
    </>
  );
};

const Shown = ({
  w,
  first,
  again,
}: {
  readonly w: string;
  readonly first: ConnectionDetail;
  again(): void;
}) => {
  const connection = useSignal(first);
  const issued = useSignal<IssuedAnswer | undefined>(undefined);
  const action = useAttempt();
  const c = first.connection_id;
  const change: ConnectionPart['change'] = (id, body, then) =>
    void action.run(
      () => call(id, { names: { w, c }, body: { version: connection.value.version, ...body } }),
      answer => {
        connection.value = answer as ConnectionDetail; // `ChangeId` has only calls that answer one
        if ('client_secret' in answer) issued.value = answer as IssuedAnswer;
        then?.(answer);
      },
      changeWords[id],
    );
  return (
    <>
      {issued.value && <Issued issued={issued.value} onDone={() => (issued.value = undefined)} />}
      {/* Hidden, not gone: what was typed there stays. */}
      <div hidden={issued.value !== undefined}>
        <AttemptTrouble attempt={action} again={again} />
        <Parts w={w} connection={connection.value} change={change} isBusy={action.isBusy} />
      </div>
    </>
  );
};

/** One connection: what it may, and what acts for it. */
export const ConnectionPage = ({
  names: { w, c },
}: {
  readonly names: { readonly w: string; readonly c: string };
}) => {
  const loading = useCall('connection.show', { names: { w, c } });
  return (
    <Page title={loading.value ? `Connection of ${loading.value.app_name}` : 'Connection'}>
      <Loaded loading={loading}>
        {connection => <Shown key={connection.version} w={w} first={connection} again={loading.again} />}
      </Loaded>
    </Page>
  );
};
