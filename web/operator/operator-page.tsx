import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { customQuota, tiers } from '../../lib/contract/limits.ts';
import type { UsageLine } from '../../lib/contract/portal/operator-responses.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { organisationStates } from '../organisation/organisation-page.tsx';
import { call } from '../page/call.ts';
import { Loaded, Trouble, useCall } from '../page/data.tsx';
import { Act, Confirm, workOf } from '../page/doing.tsx';
import { Choice, Form } from '../page/form.tsx';
import { Page, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { Day, When } from '../page/time.tsx';
import { Health } from './health.tsx';
import { type Usage, useUsage } from './usage.ts';

type Organisation = ResponseOf<'operator.organisations'>['organisations'][number];

interface RowProps {
  readonly organisation: Organisation;
  again(): void;
}

const tierOptions = Object.entries(tiers).map(([value, { perSecond, perDay }]) => ({
  value,
  label: value,
  description: `${perSecond} a second, ${perDay.toLocaleString('en')} a day`,
}));

const custom = { value: 'custom', label: 'custom', description: 'limits of its own' };

/** Approves an organisation, with the tier of its connections, or declines it. */
const Decision = ({ organisation: { organisation_id: o, name }, again }: RowProps) => {
  const [tier, setTier] = useState('standard');
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Choice value={tier} options={tierOptions} ariaLabel={`Tier of ${name}`} change={setTier} />
      <Act
        button="Approve"
        label={`Approve ${name}`}
        variant="primary"
        send={() => call('operator.approve', { names: { o }, body: { tier } })}
        done={`${name} was approved.`}
        after={again}
      />
      <Confirm
        button="Decline"
        title={`Decline ${name}`}
        send={() => call('operator.decline', { names: { o } })}
        done={`${name} was declined.`}
        after={again}
      >
        It cannot be approved afterwards.
      </Confirm>
    </SpaceBetween>
  );
};

const numbers = [
  ['per_second', 'Requests a second', customQuota.perSecond],
  ['burst', 'In a burst', customQuota.burst],
  ['per_day', 'A day', customQuota.perDay],
] as const;

const problemWith = (text: string, max: number): string | undefined => {
  const isWhole = /^\d+$/.test(text);
  if (isWhole && Number(text) >= 1 && Number(text) <= max) return undefined;
  return `A whole number from 1 to ${max.toLocaleString('en')}.`;
};

/** A tier or numbers of its own for all connections of an organisation. */
const AllowanceForm = ({ organisation, again, close }: RowProps & { close(): void }) => {
  const { organisation_id: o, name, tier, quota } = organisation;
  const [left, setLeft] = useState<readonly string[]>([]);
  const { per_second, burst, per_day } = quota ?? { per_second: 20, burst: 40, per_day: 1_000_000 };
  const first = {
    tier: quota ? 'custom' : tier,
    per_second: `${per_second}`,
    burst: `${burst}`,
    per_day: `${per_day}`,
  };
  const isCustom = (draft: typeof first) => draft.tier === 'custom';
  const allowanceOf = (draft: typeof first): object => {
    if (!isCustom(draft)) return { tier: draft.tier };
    return Object.fromEntries(numbers.map(([key]) => [key, Number(draft[key])]));
  };
  const numberFields = (draft: typeof first) =>
    numbers.map(([key, label, max]) => ({
      name: key,
      label,
      error: problemWith(draft[key], max),
    }));
  return (
    <Form
      first={first}
      fields={draft => [
        { name: 'tier', label: 'Tier', options: [...tierOptions, custom] },
        ...(isCustom(draft) ? numberFields(draft) : []),
        left.length > 0 && (
          <Alert key="left" type="warning">
            Not changed yet: {left.join(', ')}. Try again to finish.
          </Alert>
        ),
      ]}
      button="Change allowance"
      variant="primary"
      cancel={close}
      work={draft =>
        workOf({
          send: () => call('operator.allot', { names: { o }, body: allowanceOf(draft) }),
          done: `The allowance of ${name} was changed.`,
          after: done => {
            setLeft(done.left);
            if (done.left.length === 0) close();
            again();
          },
        })
      }
    />
  );
};

const Allowance = (props: RowProps) => {
  const [isOpen, setOpen] = useState(false);
  const { name } = props.organisation;
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="inline-link"
        ariaLabel={`Allowance of ${name}`}
        onClick={() => setOpen(true)}
      >
        Allowance
      </Button>
      {isOpen && (
        <Modal visible header={`Allowance of every connection of ${name}`} onDismiss={close}>
          <AllowanceForm {...props} close={close} />
        </Modal>
      )}
    </>
  );
};

const Suspension = ({ organisation: { organisation_id: o, name, status }, again }: RowProps) => {
  if (status === 'suspended')
    return (
      <Act
        button="Resume"
        label={`Resume ${name}`}
        variant="inline-link"
        send={() => call('operator.resume', { names: { o } })}
        done={`${name} is active again.`}
        after={again}
      />
    );
  if (status !== 'active') return null;
  return (
    <Confirm
      button="Suspend"
      label={`Suspend ${name}`}
      variant="inline-link"
      title={`Suspend ${name}`}
      send={() => call('operator.suspend', { names: { o } })}
      done={`${name} was suspended.`}
      after={again}
    >
      All its connections are refused until you resume it.
    </Confirm>
  );
};

const allowanceWords = ({ tier, quota }: Organisation): string =>
  quota ? `${quota.per_second}/s, ${quota.per_day.toLocaleString('en')} a day` : tier;

const known = (count: number | undefined): string => count?.toLocaleString('en') ?? '–';

/** A number of today; what is not read in full is at least so much. */
const today = (
  header: string,
  { lines }: Usage,
  countOf: (line: UsageLine) => number,
): Column<Organisation> => [
  header,
  ({ organisation_id: o }) => {
    const line = lines.get(o);
    if (line === undefined) return '–';
    return `${line.is_complete ? '' : 'at least '}${known(countOf(line))}`;
  },
];

/** The connection that is nearest to its daily quota. */
const Busiest = ({ line }: { readonly line: UsageLine | undefined }) => {
  if (!line?.busiest) return <>–</>;
  const { app_name: name, connection_id: id, published, per_day: perDay } = line.busiest;
  return (
    <span title={`${id}: ${known(published)} publishes of ${known(perDay)} requests a day`}>
      <bdi>{name}</bdi> {Math.floor((100 * published) / perDay)} %
    </span>
  );
};

const Named = ({ organisation: one }: { readonly organisation: Organisation }) => (
  <>
    <a href={urlOf('organisation', { o: one.organisation_id })}>{one.name}</a>
    <Box color="text-body-secondary" fontSize="body-s">
      {one.type} since <Day at={one.created_at} />
    </Box>
  </>
);

const organisationColumns = (usage: Usage, again: () => void): readonly Column<Organisation>[] => [
  ['Name', one => <Named organisation={one} />],
  ['State', one => <State of={organisationStates[one.status]} />],
  ['Allowance', allowanceWords],
  today('Accepted', usage, line => line.accepted),
  today('Delivered', usage, line => line.delivered),
  today('Refused', usage, line => line.refused),
  today('Over limit', usage, line => line.limited),
  ['Busiest', one => <Busiest line={usage.lines.get(one.organisation_id)} />],
  [
    'Action',
    one => (
      <SpaceBetween direction="horizontal" size="xs">
        {one.status === 'active' && <Allowance organisation={one} again={again} />}
        <Suspension organisation={one} again={again} />
      </SpaceBetween>
    ),
    { minWidth: 200 },
  ],
];

/** The person who asks for an organisation. */
const Asking = ({ of: { asked_by: person } }: { readonly of: Organisation }) => {
  if (!person) return <Box color="text-body-secondary">not known</Box>;
  return (
    <>
      <bdi>{person.name}</bdi>
      {person.email !== undefined && (
        <Box color="text-body-secondary" fontSize="body-s">
          {person.email}
        </Box>
      )}
    </>
  );
};

/** Those whose connections may do something today. */
const isCounted = ({ status }: Organisation): boolean =>
  status === 'active' || status === 'suspended';

const totals = [
  ['accepted', ({ accepted }: UsageLine) => accepted],
  ['delivered to consumers', ({ delivered }: UsageLine) => delivered],
  ['refused', ({ refused }: UsageLine) => refused],
  ['over the limit', ({ limited }: UsageLine) => limited],
] as const;

/** What all of them did together, as far as it is read. */
const UsageWords = ({
  usage,
  of,
  areAll,
}: {
  readonly usage: Usage;
  readonly of: number;
  readonly areAll: boolean;
}) => {
  const lines = [...usage.lines.values()];
  if (usage.readAt === undefined) return <>Loading what they did today.</>;
  const words = totals.map(([word, countOf]) => {
    const sum = lines.reduce((total, line) => total + countOf(line), 0);
    return `${known(sum)} ${word}`;
  });
  const isWhole = areAll && lines.length === of && lines.every(line => line.is_complete);
  return (
    <>
      Today since 00:00 UTC, {isWhole ? 'all together' : `at least, of ${lines.length} of ${of}`}:{' '}
      {words.join(', ')}. Read at <When at={usage.readAt} />. The allowance is that of each
      connection; busiest is the one whose publishes took most of its day, pulls not counted.
    </>
  );
};

const ReadOn = ({ usage: { failure, left, isReading, readOn } }: { readonly usage: Usage }) => (
  <>
    {failure && <Trouble failure={failure} again={readOn} />}
    {left > 0 && (
      <Button loading={isReading} onClick={readOn}>
        Load what {left} more did today
      </Button>
    )}
  </>
);

const Organisations = ({
  of: organisations,
  areAll,
  again,
}: {
  readonly of: readonly Organisation[];
  readonly areAll: boolean;
  again(): void;
}) => {
  const counted = organisations.filter(isCounted).map(one => one.organisation_id);
  const usage = useUsage(counted);
  return (
    <List
      title="Organisations"
      description={
        counted.length > 0 && <UsageWords usage={usage} of={counted.length} areAll={areAll} />
      }
      items={organisations}
      of="organisation_id"
      empty="There are no organisations yet."
      columns={organisationColumns(usage, again)}
      footer={(usage.failure || usage.left > 0) && <ReadOn usage={usage} />}
    />
  );
};

/** What the operator of the environment decides. */
export const OperatorPage = () => {
  const loading = useCall('operator.organisations');
  const { again } = loading;
  return (
    <Page
      title="Operator"
      lead="The organisations of this environment. You see no messages and no secrets here."
    >
      <Health />
      <Loaded loading={loading}>
        {({ organisations }) => (
          <>
            <List
              isWrapped
              title="Requests"
              items={organisations.filter(({ status }) => status === 'requested')}
              of="organisation_id"
              empty="No organisation is waiting for approval."
              columns={[
                ['Name', one => one.name],
                ['Kind', one => one.type],
                ['Asked by', one => <Asking of={one} />, { minWidth: 160 }],
                [
                  'Why',
                  one => one.reason ?? <Box color="text-body-secondary">no reason given</Box>,
                  { minWidth: 240 },
                ],
                ['Requested', one => <When at={one.created_at} />],
                [
                  'Decision',
                  one => <Decision organisation={one} again={again} />,
                  { minWidth: 360 },
                ],
              ]}
            />
            <Organisations
              of={organisations.filter(({ status }) => status !== 'requested')}
              areAll={loading.cutAfter === undefined}
              again={again}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
};
