import { useSignal } from '@preact/signals';
import { tiers } from '../../lib/contract/limits.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { type Action, ActionForm, Confirmed, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Day, When } from '../page/facts.tsx';
import { ChoiceField } from '../page/fields.tsx';
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

const Row = ({ organisation, again }: { readonly organisation: Organisation; again(): void }) => (
  <tr>
    <th scope="row">
      <a href={addressOf('organisation', { o: organisation.organisation_id })}>{organisation.name}</a>
      <div class="quiet">{organisation.type}</div>
    </th>
    <td>
      <OrganisationStatus status={organisation.status} />
    </td>
    <td>{organisation.tier}</td>
    <td>
      <Day at={organisation.created_at} />
    </td>
    <td>
      <Suspension organisation={organisation} again={again} />
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
        {({ organisations }) => (
          <>
            <Requests
              requests={organisations.filter(({ status }) => status === 'requested')}
              again={loading.again}
            />
            <h2>Organisations</h2>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone */}
            <section class="scroll" tabIndex={0} aria-label="Organisations">
              <table>
                <thead>
                  <tr>
                    {['Name', 'State', 'Tier', 'Since', 'Action'].map(head => (
                      <th key={head} scope="col">
                        {head}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {organisations
                    .filter(({ status }) => status !== 'requested')
                    .map(organisation => (
                      <Row
                        key={organisation.organisation_id}
                        organisation={organisation}
                        again={loading.again}
                      />
                    ))}
                </tbody>
              </table>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
};
