import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { type AlertKind, type AlertResponse, alertKindNames, alertKinds } from '../../lib/contract/alerts.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useDoing } from '../page/doing.tsx';
import { Snippet } from '../page/snippet.tsx';
import { connections } from '../page/workspaces.ts';

const kinds = alertKindNames.map(value => ({ value, label: alertKinds[value].title }));
const everything = { value: '', label: 'Every connection' };

/** What an alert of a kind can be about. */
const aboutKind = (kind: AlertKind, of: 'producer' | 'consumer'): boolean =>
  kind === 'message_waits' ? of === 'consumer' : kind !== 'refusals' || of === 'producer';

/** The secret of a new alert: the only time that anybody sees it. */
const Secret = ({ secret, onDone }: { readonly secret: string; onDone(): void }) => (
  <SpaceBetween size="m">
    <Alert type="warning">
      This is the only time that the secret is shown. Your receiver verifies the header{' '}
      <code>webhook-signature</code> with it, as Standard Webhooks describes.
    </Alert>
    <Snippet label="Webhook secret" text={secret} />
    <Button variant="primary" onClick={onDone}>
      I have kept the secret
    </Button>
  </SpaceBetween>
);

type Makers = ResponseOf<'alert.list'>['makers'];

interface FormProps {
  readonly w: string;
  readonly makers: Makers;
  /** The alert to change; undefined for a new one. */
  readonly alert: AlertResponse | undefined;
  onDone(): void;
}

const useDraft = ({ makers, alert }: FormProps) =>
  useState({
    kind: alert?.kind ?? ('message_waits' as AlertKind),
    threshold: `${alert?.threshold ?? alertKinds.message_waits.default}`,
    connection_id: alert?.connection_id ?? '',
    url: alert?.url ?? '',
    organisation_id: alert?.organisation_id ?? makers[0]?.organisation_id ?? '',
  });

type Draft = ReturnType<typeof useDraft>[0];

/** What an alert is about: that does not change later. */
const AboutFields = ({
  draft,
  makers,
  set,
}: {
  readonly draft: Draft;
  readonly makers: Makers;
  set(change: Partial<Draft>): void;
}) => {
  const known = useValue(connections);
  const choices = known
    .filter(one => one.status !== 'revoked' && aboutKind(draft.kind, one.kind))
    .map(({ connection_id: value, app_name }) => ({ value, label: app_name, description: value }));
  const owners = makers.map(({ organisation_id: value, name: label }) => ({ value, label }));
  return (
    <>
      {makers.length > 1 && (
        <FormField label="For">
          <Select
            selectedOption={owners.find(({ value }) => value === draft.organisation_id) ?? null}
            options={owners}
            onChange={({ detail }) => set({ organisation_id: detail.selectedOption.value ?? '' })}
          />
        </FormField>
      )}
      <FormField label="Alert me when">
        <Select
          selectedOption={kinds.find(({ value }) => value === draft.kind) ?? null}
          options={kinds}
          onChange={({ detail }) => {
            const kind = alertKindNames.find(name => name === detail.selectedOption.value) ?? draft.kind;
            set({ kind, threshold: `${alertKinds[kind].default}`, connection_id: '' });
          }}
        />
      </FormField>
      <FormField label="Connection">
        <Select
          selectedOption={choices.find(({ value }) => value === draft.connection_id) ?? everything}
          options={[everything, ...choices]}
          filteringType="auto"
          onChange={({ detail }) => set({ connection_id: detail.selectedOption.value ?? '' })}
        />
      </FormField>
    </>
  );
};

/** Makes an alert, or changes one. */
export const AlertForm = (props: FormProps) => {
  const { w, makers, alert, onDone } = props;
  const [draft, setDraft] = useDraft(props);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const doing = useDoing();
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const row = alertKinds[draft.kind];
  const save = () => {
    const body = { ...draft, threshold: Number(draft.threshold) };
    if (alert)
      return doing.run(
        () => call('alert.change', { names: { w, l: alert.alert_id }, body }),
        'The alert is changed.',
        onDone,
      );
    return doing.run(
      () => call('alert.make', { names: { w }, body }),
      'The alert is created.',
      made => setSecret(made.secret),
    );
  };
  if (secret !== undefined) return <Secret secret={secret} onDone={onDone} />;
  return (
    <Container header={<Header variant="h2">{alert ? `Change: ${row.title}` : 'New alert'}</Header>}>
      <form
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <SpaceBetween size="m">
          {!alert && <AboutFields draft={draft} makers={makers} set={set} />}
          {'unit' in row && (
            <FormField label={`Threshold (${row.unit})`} constraintText={`From ${row.min} to ${row.max}.`}>
              <Input
                type="number"
                value={draft.threshold}
                onChange={({ detail }) => set({ threshold: detail.value })}
              />
            </FormField>
          )}
          <FormField
            label="Webhook URL"
            description="It gets a signed POST for each change. On a deployed bus it is https, on the public internet."
          >
            <Input
              value={draft.url}
              placeholder="https://hooks.example.com/som-bus"
              onChange={({ detail }) => set({ url: detail.value })}
            />
          </FormField>
          {doing.trouble}
          <SpaceBetween size="s" direction="horizontal">
            <Button formAction="submit" variant="primary" loading={doing.isBusy} disabled={draft.url === ''}>
              {alert ? 'Save changes' : 'Create alert'}
            </Button>
            <Button formAction="none" variant="link" onClick={onDone}>
              Cancel
            </Button>
          </SpaceBetween>
          <Box variant="small">The secret that signs is shown once, when the alert is created.</Box>
        </SpaceBetween>
      </form>
    </Container>
  );
};
