import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import {
  type AlertKind,
  type AlertResponse,
  alertInWords,
  alertKindNames,
  alertKinds,
} from '../../lib/contract/portal/alerts.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call, type Reply } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useCall } from '../page/data.tsx';
import { Act, Confirm, workOf } from '../page/doing.tsx';
import { type Field, Form } from '../page/form.tsx';
import { type Look, Page, Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { ConnectionName, connectionOptions } from '../page/names.tsx';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { connections } from '../page/workspaces.ts';

type Alerts = ResponseOf<'alert.list'>;
/** The alert to change, or the kind of a new one. */
type Edited = AlertResponse | AlertKind;
type Known = ResponseOf<'workspace.show'>['connections'];

const kinds = alertKindNames.map(value => ({ value, label: alertKinds[value].title }));
const everything = { value: '', label: 'Every connection' };

/** What an alert of a kind can be about. */
const aboutKind = (kind: AlertKind, of: 'producer' | 'consumer'): boolean => {
  if (kind === 'message_waits') return of === 'consumer';
  if (kind === 'refusals') return of === 'producer';
  return true;
};

/** The secret of a new alert: the only time that anybody sees it. */
const Secret = ({ secret, onDone }: { readonly secret: string; onDone(): void }) => (
  <SpaceBetween size="m">
    <Alert type="warning">
      This is the only time the secret is shown. Your receiver verifies the header{' '}
      <code>webhook-signature</code> with it, as described by Standard Webhooks.
    </Alert>
    <Snippet label="Webhook secret" text={secret} />
    <Button variant="primary" onClick={onDone}>
      I have saved the secret
    </Button>
  </SpaceBetween>
);

interface FormProps {
  readonly w: string;
  readonly found: Pick<Alerts, 'makers' | 'email'>;
  /** The alert to change; undefined for a new one. */
  readonly alert: AlertResponse | undefined;
  /** Of the alert. */
  readonly kind: AlertKind;
  again(): void;
  onDone(): void;
}

const draftOf = ({ alert, kind, found: { makers, email } }: FormProps) => ({
  kind,
  threshold: `${alert?.threshold ?? alertKinds[kind].default}`,
  connection_id: alert?.connection_id ?? '',
  by: alert?.by ?? (email === undefined ? 'webhook' : 'email'),
  url: alert?.url ?? '',
  organisation_id: alert?.organisation_id ?? makers[0]?.organisation_id ?? '',
});

type Draft = ReturnType<typeof draftOf>;

const fieldsOf = (
  { kind, by }: Draft,
  {
    found: { makers, email },
    alert,
    known,
  }: Pick<FormProps, 'found' | 'alert'> & { readonly known: Known },
): readonly (Field<Draft> | false)[] => {
  const row = alertKinds[kind];
  const owners = makers.map(({ organisation_id: value, name: label }) => ({ value, label }));
  const about = known.filter(one => one.status !== 'revoked' && aboutKind(kind, one.kind));
  return [
    !alert && makers.length > 1 && { name: 'organisation_id', label: 'For', options: owners },
    !alert && { name: 'kind', label: 'Alert me when', options: kinds },
    !alert && {
      name: 'connection_id',
      label: 'Connection (optional)',
      options: [everything, ...connectionOptions(about)],
    },
    'unit' in row && {
      name: 'threshold',
      label: `Threshold (${row.unit})`,
      constraint: `From ${row.min} to ${row.max.toLocaleString('en')}.`,
      type: 'number',
    },
    !alert &&
      email !== undefined && {
        name: 'by',
        label: 'Notify',
        options: [
          { value: 'email', label: `${email} (your e-mail address)` },
          { value: 'webhook', label: 'A webhook' },
        ],
      },
    by === 'webhook' && {
      name: 'url',
      label: 'Webhook URL',
      description:
        'Gets a signed POST for each change. On a deployed bus: https, on the public internet.',
      placeholder: 'https://hooks.example.com/som-bus',
    },
  ];
};

/**
 * What is kept of a draft when a part of it changes: another kind has another threshold, and other
 * connections.
 */
const changed = (draft: Draft, part: Partial<Draft>): Partial<Draft> => {
  const { kind } = part;
  if (kind === undefined || kind === draft.kind) return part;
  return { ...part, threshold: `${alertKinds[kind].default}`, connection_id: '' };
};

const AlertForm = (props: FormProps) => {
  const { w, found, alert, again, onDone } = props;
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const known = useValue(connections);
  if (secret !== undefined) return <Secret secret={secret} onDone={onDone} />;
  const send = (draft: Draft): Promise<Reply<ResponseOf<'alert.change' | 'alert.make'>>> => {
    const body = { ...draft, threshold: Number(draft.threshold) };
    if (alert) return call('alert.change', { names: { w, l: alert.alert_id }, body });
    return call('alert.make', { names: { w }, body });
  };
  const finish = (made: ResponseOf<'alert.change' | 'alert.make'>): void => {
    again();
    const shown = 'secret' in made ? made.secret : undefined;
    if (shown === undefined) onDone();
    else setSecret(shown);
  };
  return (
    <Section title={alert ? `Change: ${alertKinds[alert.kind].title}` : 'New alert'}>
      <Form
        first={draftOf(props)}
        fields={draft => fieldsOf(draft, { found, alert, known })}
        changed={changed}
        button={alert ? 'Save changes' : 'Create alert'}
        variant="primary"
        cancel={onDone}
        work={draft =>
          workOf({
            send: () => send(draft),
            done: alert ? 'The alert was changed.' : 'The alert was created.',
            after: finish,
          })
        }
      >
        The signing secret of a webhook is shown once, when the alert is created. An e-mail alert
        ends when you are no longer an owner.
      </Form>
    </Section>
  );
};

const raisedLook = (connectionCount: number): Look => {
  if (connectionCount === 0) return ['success', 'Quiet'];
  const connectionWords = connectionCount === 1 ? 'connection' : 'connections';
  return ['warning', `Raised for ${connectionCount} ${connectionWords}`];
};

const AlertState = ({ alert: { raised, last, pending } }: { readonly alert: AlertResponse }) => (
  <>
    <State of={raisedLook(raised.length)} />
    {last && (
      <Box variant="small">
        {last.problem === undefined ? 'Delivered' : `Not delivered: ${last.problem}`},{' '}
        <When at={last.at} />
        {pending > 0 && `; ${pending} waiting`}
      </Box>
    )}
  </>
);

interface ListProps {
  readonly w: string;
  readonly found: Alerts;
  again(): void;
  edit(alert: Edited): void;
}

const NewAlert = ({ edit }: Pick<ListProps, 'edit'>) => (
  <Button onClick={() => edit('message_waits')}>New alert</Button>
);

/** The four alerts that everybody wants, each a click from its form. */
const Starters = ({ edit }: Pick<ListProps, 'edit'>) => (
  <Section
    title="There are no alerts yet"
    description="Most people begin with one of these."
    actions={<NewAlert edit={edit} />}
  >
    <SpaceBetween size="xs">
      {alertKindNames.map(kind => (
        <Button key={kind} variant="inline-link" iconName="add-plus" onClick={() => edit(kind)}>
          {alertInWords({ kind, threshold: alertKinds[kind].default })}
        </Button>
      ))}
    </SpaceBetween>
  </Section>
);

const Actions = ({
  w,
  alert,
  again,
  edit,
}: Pick<ListProps, 'w' | 'again'> & { alert: AlertResponse; edit(): void }) => {
  const asked = { names: { w, l: alert.alert_id } };
  const shared = { variant: 'inline-link', after: again } as const;
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Act
        {...shared}
        button="Test"
        label={`Test ${alertInWords(alert)}`}
        send={() => call('alert.test', asked)}
        done={
          alert.by === 'email'
            ? `A test was sent to ${alert.to}.`
            : `${alert.to} accepted the test.`
        }
      />
      <Button variant="inline-link" ariaLabel={`Change ${alertInWords(alert)}`} onClick={edit}>
        Change
      </Button>
      <Confirm
        {...shared}
        button="Delete"
        label={`Delete ${alertInWords(alert)}`}
        title="Delete alert"
        send={() => call('alert.delete', asked)}
        done="The alert was deleted."
      >
        {alertInWords(alert)}: {alert.to} gets no more notifications
        {alert.by === 'webhook' && ', and its secret is deleted'}.
      </Confirm>
    </SpaceBetween>
  );
};

const AlertList = ({ w, found: { alerts, makers }, again, edit }: ListProps) => {
  const isOurs = (alert: AlertResponse) =>
    makers.some(one => one.organisation_id === alert.organisation_id);
  if (alerts.length === 0 && makers.length > 0) return <Starters edit={edit} />;
  return (
    <List
      isWrapped
      title="Alerts"
      items={alerts}
      of="alert_id"
      actions={makers.length > 0 && <NewAlert edit={edit} />}
      empty="There are no alerts yet. An owner can create one."
      columns={[
        ['Alert', alertInWords],
        [
          'Connection',
          ({ connection_id: id }) =>
            id === undefined ? 'All' : <ConnectionName id={id} isShort />,
        ],
        ['Notifies', ({ to }) => to],
        ['State', alert => <AlertState alert={alert} />],
        [
          'Actions',
          alert =>
            isOurs(alert) && <Actions w={w} alert={alert} again={again} edit={() => edit(alert)} />,
        ],
      ]}
    />
  );
};

/** What an organisation's owners want to be told of a workspace. */
export const AlertsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('alert.list', { names: { w } }, 15_000);
  const [edited, setEdited] = useState<Edited | undefined>(undefined);
  const known = typeof edited === 'string' ? undefined : edited;
  const done = () => {
    setEdited(undefined);
    loading.again();
  };
  return (
    <Page
      title="Alerts"
      lead="You are notified when something needs attention, and again when it is over."
      loading={loading}
    >
      {found => (
        <>
          {edited && (
            <AlertForm
              key={known?.alert_id ?? `${edited}`}
              w={w}
              found={found}
              alert={known}
              kind={typeof edited === 'string' ? edited : edited.kind}
              again={loading.again}
              onDone={done}
            />
          )}
          <AlertList w={w} found={found} again={loading.again} edit={setEdited} />
        </>
      )}
    </Page>
  );
};
