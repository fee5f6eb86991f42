import type { ComponentChildren } from 'preact';
import { addressOf } from '../page/address.ts';
import { When } from '../page/facts.tsx';
import type { OpenWorkspace } from '../page/places.ts';
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

/** What somebody should look at. */
export const Waiting = ({
  isOperator,
  workspace,
}: {
  readonly isOperator: boolean;
  readonly workspace: OpenWorkspace | undefined;
}) => (
  <ul class="cards waiting">
    {isOperator && <Requests />}
    {workspace && <Secrets key={`secrets ${workspace.id}`} w={workspace.id} />}
    {workspace && <Refused key={`refused ${workspace.id}`} w={workspace.id} />}
  </ul>
);
