import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import { limits } from '../../lib/contract/limits.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { checkRoles } from '../../lib/contract/portal/checks.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { RunResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useCall } from '../page/data.tsx';
import { workOf } from '../page/doing.tsx';
import { Choice, Form, optionOf } from '../page/form.tsx';
import { type Look, Page, Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { ConnectionName, connectionOptions } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { connections } from '../page/workspaces.ts';
import { runLook } from './run-look.ts';

interface Names {
  readonly w: string;
  readonly c: string;
}

type Connections = ResponseOf<'workspace.show'>['connections'];
type Kind = 'producer' | 'consumer';

const lead =
  'A run plays messages to a system, and says for each case whether it did what SOM and the ' +
  'skill library ask for.';

/** What the run does, for each kind. */
const kindOptions = [
  {
    value: 'consumer',
    label: 'a consumer',
    description: 'The bus plays messages to it, and judges how it takes and acknowledges them.',
  },
  {
    value: 'producer',
    label: 'a producer',
    description:
      'Use your product as usual: the bus judges what it sends, and what it does when a publish fails.',
  },
  {
    value: 'executor',
    label: 'an executor',
    description:
      'It runs skills: the bus plays messages to it, and judges the warnings that it sends.',
  },
];

const instanceOptions = [
  { value: 'registered', label: 'those of the cases: the run registers them, and removes them' },
  { value: 'given', label: 'those that are registered already' },
];

const { min, max, default: usual } = limits.checks.limitSeconds;

const emptyDraft = {
  role: '',
  other: '',
  instances: 'registered',
  types: [] as readonly string[],
  seconds: '',
  cases: '',
};

/**
 * What is sent of the draft: of the fields that the chosen kind shows, the ones that were filled
 * in.
 */
const bodyOf = (
  ownKind: Kind,
  {
    kind,
    role,
    other,
    instances,
    types,
    seconds,
    cases,
  }: typeof emptyDraft & { readonly kind: string },
) => {
  const otherKind = ownKind === 'consumer' ? 'producer' : 'consumer';
  const only = cases.split(/[\s,]+/).filter(one => one !== '');
  const body: Record<string, unknown> = { kind };
  if (role !== '') body['role'] = role;
  if (kind === 'executor') Object.assign(body, { [otherKind]: other, instances });
  if (kind === 'producer' && types.length > 0) body['message_types'] = types;
  if (seconds.trim() !== '') body['limit_seconds'] = Number(seconds);
  if (only.length > 0) body['cases'] = only;
  return body;
};

interface StartProps {
  readonly names: Names;
  readonly kind: Kind;
  /** What can be the other connection of an executor. */
  readonly others: Connections;
}

/** Starts a run of a connection, and opens it. */
const StartForm = ({ names, kind: ownKind, others }: StartProps) => (
  <Form
    first={{ ...emptyDraft, kind: ownKind as string }}
    fields={({ kind }) => [
      {
        name: 'kind',
        label: 'Test it as',
        isExplained: true,
        options: kindOptions.filter(({ value }) => value === ownKind || value === 'executor'),
      },
      {
        name: 'role',
        label: 'The system is (optional)',
        description: 'Its role says what the run has to prove.',
        options: [{ value: '', label: 'not named' }, ...checkRoles.map(optionOf)],
      },
      kind === 'executor' && {
        name: 'other',
        label: ownKind === 'consumer' ? 'It sends with' : 'It receives with',
        options: connectionOptions(others),
        isFirst: true,
        empty: 'There is no other active connection of the organisation here.',
      },
      kind === 'executor' && {
        name: 'instances',
        label: 'Skill instances',
        options: instanceOptions,
      },
      kind === 'producer' && {
        name: 'types',
        label: 'Message types that it should send (optional)',
        description: 'Leave it empty for all that it may send.',
        options: messageTypes.map(optionOf),
      },
      {
        name: 'seconds',
        label: 'Time limit for a response, in seconds (optional)',
        constraint: `${min} to ${max}; ${usual} by default.`,
      },
      {
        name: 'cases',
        label: 'Only these cases or skills (optional)',
        placeholder: 'raise-flag-on-match',
      },
    ]}
    button="Start run"
    variant="primary"
    work={draft => {
      // The others come later than the form, which keeps what was chosen until then.
      const other = draft.other || (others[0]?.connection_id ?? '');
      const body = bodyOf(ownKind, { ...draft, other });
      return workOf({
        send: () => call('check.start', { names: { ...names }, body }),
        done: 'The run has started.',
        after: run => goTo(urlOf('run', { ...names, t: run.run_id })),
      });
    }}
  >
    The system under test has to be running.
  </Form>
);

const History = ({
  names,
  runs,
}: {
  readonly names: Names;
  readonly runs: readonly RunResponse[];
}) => {
  const beforeOf = (run: RunResponse) =>
    runs.slice(runs.indexOf(run) + 1).find(({ kind }) => kind === run.kind)?.run_id;
  return (
    <List
      title="History"
      items={runs}
      of="run_id"
      empty="This connection has not been tested yet."
      columns={[
        [
          'Started',
          run => (
            <a href={urlOf('run', { ...names, t: run.run_id })}>
              <When at={run.started_at} />
            </a>
          ),
        ],
        ['Tested as', run => run.kind],
        [
          'State',
          run => (
            <>
              <State of={runLook(run.status)} />
              <div>{run.reason}</div>
            </>
          ),
        ],
        [
          'Compare',
          run => {
            const before = beforeOf(run);
            return (
              before !== undefined && (
                <a href={urlOf('run', { ...names, t: run.run_id }, { before })}>
                  Compare with the previous run
                </a>
              )
            );
          },
        ],
      ]}
    />
  );
};

/** The runs of one connection, and a new one. */
export const RunsPage = ({ names: { w, c } }: { readonly names: Names }) => {
  const names = { w, c };
  const known = useValue(connections);
  const loading = useCall('check.list', { names });
  const own = known.find(one => one.connection_id === c);
  const others = known.filter(
    ({ kind, status, organisation_id: of }) =>
      kind !== own?.kind && status === 'active' && of === own?.organisation_id,
  );
  return (
    <Page
      title={own ? `Test runs of ${own.app_name}` : 'Test runs'}
      lead={lead}
      actions={<Button href={urlOf('connection', names)}>Connection</Button>}
      loading={loading}
    >
      {({ runs, may_start }) => (
        <>
          {may_start && own && (
            <Section title="Start a run">
              <StartForm key={c} names={names} kind={own.kind} others={others} />
            </Section>
          )}
          <History names={names} runs={runs} />
        </>
      )}
    </Page>
  );
};

type Totals = ResponseOf<'check.show'>['totals'];

const resultLook = ({ failed, passed }: Totals): Look => {
  if (failed > 0) return ['error', `${failed} failed, ${passed} passed`];
  return passed > 0 ? ['success', `${passed} passed`] : ['stopped', 'Nothing could be judged'];
};

interface RunProps {
  readonly w: string;
  readonly run: RunResponse;
}

/** What came of a run: it is judged when somebody looks. */
const Result = ({ w, run }: RunProps) => {
  const c = run.connections[0]?.connection_id ?? '';
  const { value } = useCall('check.show', { names: { w, c, t: run.run_id } });
  if (!value) return <State of={runLook(run.status)} />;
  const suffix = run.status === 'finished' ? '' : ` (${run.status})`;
  const [type, text] = resultLook(value.totals);
  return <State of={[run.status === 'running' ? 'in-progress' : type, `${text}${suffix}`]} />;
};

/** So many of the newest are judged at once. */
const judgedAtOnce = 10;

const Tested = ({ run }: Pick<RunProps, 'run'>) =>
  run.connections.map(({ connection_id: id }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <ConnectionName id={id} isShort />
    </span>
  ));

const NewRun = ({ w, known }: { readonly w: string; readonly known: Connections }) => {
  const open = known.filter(({ status }) => status === 'active');
  return (
    <Section title="New run">
      <div className="narrow">
        <FormField
          label="System under test"
          description="The connection with which it publishes or receives."
        >
          <Choice
            value=""
            options={connectionOptions(open)}
            placeholder="Choose a connection"
            empty="There is no active connection here."
            change={c => goTo(urlOf('runs', { w, c }))}
          />
        </FormField>
      </div>
    </Section>
  );
};

/** The runs of a workspace with their results, and the way to a new one. */
export const AllRunsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const known = useValue(connections);
  const loading = useCall('check.all', { names: { w } });
  return (
    <Page title="Test runs" lead={lead} loading={loading}>
      {({ runs, next }) => (
        <>
          <NewRun w={w} known={known} />
          <List
            title="Runs"
            counter={`(${runs.length}${next === undefined ? '' : '+'})`}
            items={runs}
            of="run_id"
            empty={
              <Box>
                Nothing was tested in <code>{w}</code> yet. Choose a system above
                {known.length === 0 && (
                  <>
                    , or <a href={urlOf('makeConnection', { w })}>create a connection</a> for it
                    first
                  </>
                )}
                .
              </Box>
            }
            columns={[
              [
                'Result',
                run =>
                  runs.indexOf(run) < judgedAtOnce ? (
                    <Result w={w} run={run} />
                  ) : (
                    <State of={runLook(run.status)} />
                  ),
              ],
              [
                'System',
                run => (
                  <a
                    href={urlOf('run', {
                      w,
                      c: run.connections[0]?.connection_id ?? '',
                      t: run.run_id,
                    })}
                  >
                    <Tested run={run} />
                  </a>
                ),
                { isRowHeader: true },
              ],
              ['Tested as', run => run.kind],
              ['Started', run => <When at={run.started_at} />],
            ]}
          />
        </>
      )}
    </Page>
  );
};
