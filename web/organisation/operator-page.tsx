/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { customQuota, tiers } from '../../lib/contract/limits.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { type Action, ActionForm, Confirmed, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Day, When } from '../page/facts.tsx';
import { ChoiceField } from '../page/fields.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { OrganisationStatus } from './organisation-page.tsx';

type Organisation = AnswerOf<'operator.organisations'>['organisations'][number];

const Approval = ({ o, again }: { readonly o: string; again(): void }) => {
  const tier = useSignal('standard');
  const approve = useAction('operator.approve', 'The organisation is approved.');
  const decline = useAction('operator.decline', 'The organisation is declined.');
  const decide = async (done: Promise<unknown>) => {
    if (await done) again();
  };
  return (
    <div class="choices">
      <ActionForm
        button="Approve"
        action={approve}
        run={() => void decide(approve.run({ names: { o }, body: { tier: tier.value } }))}
      >
        <ChoiceField label="Tier" value={tier}>
          {Object.entries(tiers).map(([name, { perSecond, perDay }]) => (
            <option key={name} value={name}>
              {name}: {perSecond} a second, {perDay.toLocaleString()} a day
            </option>
          ))}
        </ChoiceField>
      </ActionForm>
      <Confirmed
        button="Decline"
        question="Decline this organisation? It cannot be approved afterwards."
        run={() => void decide(decline.run({ names: { o } }))}
      />
      {decline.failure && <Trouble failure={decline.failure} />}
    </div>
  );
};

const Suspension = ({
  organisation: { organisation_id: o, name, status },
  again,
}: {
  readonly organisation: Organisation;
  again(): void;
}) => {
  const suspend = useAction('operator.suspend', 'The organisation is suspended.');
  const resume = useAction('operator.resume', 'The organisation is active again.');
  const run = async (action: Action<'operator.suspend'> | Action<'operator.resume'>) => {
    if (await action.run({ names: { o } })) again();
  };
  const failure = suspend.failure ?? resume.failure;
  return (
    <>
      {status === 'active' && (
        <Confirmed
          button="Suspend"
          question={`Suspend ${name}? All its connections are refused until you resume it.`}
          run={() => void run(suspend)}
        />
      )}
      {status === 'suspended' && (
        <button type="button" onClick={() => void run(resume)}>
          Resume
        </button>
      )}
      {failure && <Trouble failure={failure} />}
    </>
  );
};

const allowanceWords = ({ tier, quota }: Organisation): string =>
  quota ? `${quota.per_second}/s, ${quota.per_day.toLocaleString()} a day` : tier;

const numbers = [
  ['per_second', 'Requests a second', customQuota.perSecond],
  ['burst', 'In a burst', customQuota.burst],
  ['per_day', 'A day', customQuota.perDay],
] as const;

/** A tier or numbers of its own for all connections of an organisation. */
const QuotaForm = ({
  organisation: { organisation_id: o, name, tier, quota },
  again,
}: {
  readonly organisation: Organisation;
  again(): void;
}) => {
  const chosen = useSignal(quota ? 'custom' : tier);
  const typed = useSignal(quota ?? { per_second: 20, burst: 40, per_day: 1_000_000 });
  const left = useSignal<readonly string[]>([]);
  const action = useAction('operator.allot', 'The allowance is changed.');
  const allot = async () => {
    const body = chosen.value === 'custom' ? typed.value : { tier: chosen.value };
    const done = await action.run({ names: { o }, body });
    left.value = done?.left ?? [];
    if (done) again();
  };
  return (
    <details>
      <summary>Allowance</summary>
      <ActionForm button={`Change it for all of ${name}`} action={action} run={() => void allot()}>
        <ChoiceField label="Tier" value={chosen}>
          {[...Object.keys(tiers), 'custom'].map(one => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </ChoiceField>
        {chosen.value === 'custom' &&
          numbers.map(([key, label, max]) => (
            <label key={key}>
              {label}
              <input
                type="number"
                required
                min={1}
                max={max}
                value={typed.value[key]}
                onInput={event => {
                  typed.value = { ...typed.value, [key]: event.currentTarget.valueAsNumber };
                }}
              />
            </label>
          ))}
      </ActionForm>
      {left.value.length > 0 && (
        <p class="notice wrong">
          Still with the old allowance: {left.value.join(', ')}. Change it again to finish.
        </p>
      )}
    </details>
  );
};

const Row = ({ organisation, again }: { readonly organisation: Organisation; again(): void }) => (
  <tr>
    <th scope="row">
      <a href={addressOf('organisation', { o: organisation.organisation_id })}>{organisation.name}</a>
      <div class="quiet">{organisation.type}</div>
    </th>
    <td>
      <OrganisationStatus status={organisation.status} />
    </td>
    <td>{allowanceWords(organisation)}</td>
    <td>
      <Day at={organisation.created_at} />
    </td>
    <td>
      <Suspension organisation={organisation} again={again} />
      {organisation.status === 'active' && <QuotaForm organisation={organisation} again={again} />}
    </td>
  </tr>
);

const Requests = ({ requests, again }: { readonly requests: readonly Organisation[]; again(): void }) => (
  <>
    <h2>Requests</h2>
    {requests.length === 0 && <p class="empty">Nobody waits for an answer.</p>}
    <ul class="cards">
      {requests.map(({ organisation_id: o, name, type, created_at: at }) => (
        <li key={o}>
          <h3>{name}</h3>
          <p class="quiet">
            a {type}, asked at <When at={at} />
          </p>
          <Approval o={o} again={again} />
        </li>
      ))}
    </ul>
  </>
);

/** What the operator of the environment decides. */
export const OperatorPage = () => {
  const loading = useCall('operator.organisations');
  return (
    <Page title="Operator" lead="Organisations of this environment. You see no messages and no secrets here.">
      <Loaded loading={loading}>
        {({ organisations, alarms_at }) => (
          <>
            {alarms_at !== undefined && (
              <p>
                <a href={alarms_at} target="_blank" rel="noreferrer">
                  The alarms of the environment, in CloudWatch
                </a>
              </p>
            )}
            <Requests
              requests={organisations.filter(({ status }) => status === 'requested')}
              again={loading.again}
            />
            <h2>Organisations</h2>
            <Table label="Organisations" heads={['Name', 'State', 'Allowance', 'Since', 'Action']}>
              {organisations
                .filter(({ status }) => status !== 'requested')
                .map(organisation => (
                  <Row key={organisation.organisation_id} organisation={organisation} again={loading.again} />
                ))}
            </Table>
          </>
        )}
      </Loaded>
    </Page>
  );
};
