/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf } from '../page/address.ts';
import { When } from '../page/facts.tsx';
import { useCall } from '../page/trouble.tsx';

const Card = ({ children }: { readonly children: ComponentChildren }) => <li>{children}</li>;

const Requests = () => {
  const { value } = useCall('operator.organisations');
  const count = value?.organisations.filter(({ status }) => status === 'requested').length ?? 0;
  return count === 0 ? null : (
    <Card>
      <a href={addressOf('operator')}>
        {count === 1 ? 'An organisation waits' : `${count} organisations wait`} for approval
      </a>
    </Card>
  );
};

/** Secrets that end within two weeks. */
const soonMilliseconds = 14 * 86_400_000;

const Secrets = ({ w }: { readonly w: string }) => {
  const { value } = useCall('connection.list', { names: { w } });
  const ending = (value?.connections ?? []).flatMap(({ connection_id: id, secrets: { previous } }) =>
    previous && Date.parse(previous.valid_until) < Date.now() + soonMilliseconds
      ? [{ id, until: previous.valid_until }]
      : [],
  );
  return (
    <>
      {ending.map(({ id, until }) => (
        <Card key={id}>
          The old secret of <code>{id}</code> ends at <When at={until} />
        </Card>
      ))}
    </>
  );
};

const Refused = ({ w }: { readonly w: string }) => {
  const { value } = useCall('workspace.activity', { names: { w }, query: { kind: 'refused' } });
  const recent = (value?.activity ?? []).filter(({ at }) => Date.parse(at) > Date.now() - 86_400_000);
  return recent.length === 0 ? null : (
    <Card>
      <a href={addressOf('activity', { w }, { kind: 'refused' })}>
        {recent.length === 50 ? 'Fifty or more' : recent.length} refused{' '}
        {recent.length === 1 ? 'message' : 'messages'} in the last day
      </a>
    </Card>
  );
};

/** A message that waits for longer is worth a look. */
const longMilliseconds = 3_600_000;

const Queue = ({ w, c }: { readonly w: string; readonly c: string }) => {
  const { value } = useCall('queue.show', { names: { w, c } });
  const oldest = value?.oldest_accepted_at;
  const isOld = oldest !== undefined && Date.parse(oldest) < Date.now() - longMilliseconds;
  const blocked = value?.blocked.length ?? 0;
  if (!isOld && blocked === 0) return null;
  return (
    <Card>
      <a href={addressOf('queue', { w, c })}>
        The queue of <code>{c}</code>
      </a>
      {isOld && (
        <>
          {' '}
          holds a message since <When at={oldest} />
        </>
      )}
      {isOld && blocked > 0 && ', and'}
      {blocked > 0 && ` has ${blocked} ${blocked === 1 ? 'story' : 'stories'} whose next message is not free`}
      .
    </Card>
  );
};

/** So many queues are looked at together: each look is a call. */
const queuesTogether = 8;

const Queues = ({ w, connections }: { readonly w: string; readonly connections: Connections }) => {
  const shown = useSignal(queuesTogether);
  const consumers = connections.filter(({ kind, status }) => kind === 'consumer' && status !== 'revoked');
  const rest = consumers.length - shown.value;
  return (
    <>
      {consumers.slice(0, shown.value).map(({ connection_id: c }) => (
        <Queue key={c} w={w} c={c} />
      ))}
      {rest > 0 && (
        <Card>
          <button
            type="button"
            onClick={() => {
              shown.value += queuesTogether;
            }}
          >
            {rest === 1
              ? 'Check one more queue for what waits too long'
              : `Check ${Math.min(rest, queuesTogether)} of ${rest} more queues for what waits too long`}
          </button>
        </Card>
      )}
    </>
  );
};

type Connections = AnswerOf<'workspace.show'>['connections'];

/** What somebody should look at in a workspace. */
export const WaitingInWorkspace = ({
  w,
  connections,
}: {
  readonly w: string;
  readonly connections: Connections;
}) => (
  <ul class="cards waiting">
    <Secrets w={w} />
    <Queues w={w} connections={connections} />
    <Refused w={w} />
  </ul>
);

/** What waits for the operator. */
export const WaitingForOperator = () => (
  <ul class="cards waiting">
    <Requests />
  </ul>
);
