import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import Tiles from '@cloudscape-design/components/tiles';
import Wizard from '@cloudscape-design/components/wizard';
import { useState } from 'react';
import type { IssuedResponse, MakerResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { loadConnections } from '../page/workspaces.ts';
import { Issued } from './issued.tsx';
import { TypesField } from './types-field.tsx';
import { linesIn } from './words.ts';

type Kind = 'producer' | 'consumer';

interface Draft {
  readonly maker: MakerResponse;
  readonly kind: Kind;
  readonly app: string;
  readonly systems: string;
  readonly types: readonly string[];
  readonly sources: string;
}

/** What the draft asks the service for. */
const requestOf = ({ maker, kind, app, systems, types, sources }: Draft) => ({
  kind,
  app: app.trim(),
  organisation_id: maker.organisation_id,
  ...(kind === 'producer'
    ? { system_ids: linesIn(systems), grants: types }
    : { sources: linesIn(sources), receives: types }),
});

interface StepProps {
  readonly draft: Draft;
  change(part: Partial<Draft>): void;
}

const kindTiles = [
  { value: 'producer', label: 'Producer', description: 'Sends messages over HTTPS.' },
  { value: 'consumer', label: 'Consumer', description: 'Receives messages from a queue of its own.' },
] as const;

const AppStep = ({ draft, change, makers }: StepProps & { readonly makers: readonly MakerResponse[] }) => (
  <SpaceBetween size="l">
    {makers.length > 1 && (
      <FormField label="Organisation">
        <Select
          selectedOption={{ value: draft.maker.organisation_id, label: draft.maker.name }}
          options={makers.map(one => ({ value: one.organisation_id, label: one.name }))}
          onChange={({ detail }) => {
            const maker = makers.find(one => one.organisation_id === detail.selectedOption.value);
            const kind = maker?.kinds[0] ?? 'producer';
            if (maker) change({ maker, kind, types: invitedTypes(maker, kind) });
          }}
        />
      </FormField>
    )}
    <FormField label="Kind">
      <Tiles
        value={draft.kind}
        ariaLabel="Kind"
        items={kindTiles.filter(({ value }) => draft.maker.kinds.includes(value))}
        onChange={({ detail }) => {
          const kind = detail.value === 'consumer' ? 'consumer' : 'producer';
          change({ kind, types: invitedTypes(draft.maker, kind) });
        }}
      />
    </FormField>
    <FormField
      label="App"
      description="The system that connects, such as Rundown. A new name makes a new app."
    >
      <Input value={draft.app} onChange={({ detail }) => change({ app: detail.value })} />
    </FormField>
  </SpaceBetween>
);

const TypesStep = ({ draft, change }: StepProps) => (
  <SpaceBetween size="l">
    <TypesField
      label={draft.kind === 'producer' ? 'May send' : 'Receives'}
      chosen={draft.types}
      allowed={draft.kind === 'producer' ? draft.maker.grants : draft.maker.receives}
      change={types => change({ types })}
    />
    {draft.kind === 'producer' ? (
      <FormField
        label="Sends as (optional)"
        description="The system_ids that its messages carry, one on each line. Without any: the app’s name."
      >
        <Textarea
          rows={2}
          value={draft.systems}
          spellcheck={false}
          onChange={({ detail }) => change({ systems: detail.value })}
        />
      </FormField>
    ) : (
      <FormField
        label="From (optional)"
        description="Only messages of these system_ids, one on each line. Without any: of all systems."
      >
        <Textarea
          rows={2}
          value={draft.sources}
          spellcheck={false}
          onChange={({ detail }) => change({ sources: detail.value })}
        />
      </FormField>
    )}
  </SpaceBetween>
);

const ReviewStep = ({ draft }: Pick<StepProps, 'draft'>) => {
  const systems = draft.kind === 'producer' ? linesIn(draft.systems) : linesIn(draft.sources);
  return (
    <KeyValuePairs
      columns={2}
      items={[
        { label: 'App', value: draft.app },
        { label: 'Kind', value: draft.kind },
        { label: draft.kind === 'producer' ? 'May send' : 'Receives', value: draft.types.join(', ') },
        {
          label: draft.kind === 'producer' ? 'Sends as' : 'From',
          value: systems.join(', ') || (draft.kind === 'producer' ? draft.app : 'all systems'),
        },
      ]}
    />
  );
};

/** Why one cannot go on from a step. */
const missingIn = ({ app, types }: Draft, step: number): string | undefined => {
  if (step === 0 && app.trim() === '') return 'Give the app a name.';
  return step === 1 && types.length === 0 ? 'Choose at least one message type.' : undefined;
};

interface FormProps {
  readonly w: string;
  readonly makers: readonly MakerResponse[];
  readonly first: MakerResponse;
  onIssued(issued: IssuedResponse): void;
}

/** What a guest was invited for; a house chooses for itself. */
const invitedTypes = ({ grants, receives }: MakerResponse, kind: Draft['kind']): readonly string[] =>
  (kind === 'producer' ? grants : receives).filter(pattern => pattern !== '*');

const emptyDraft = (maker: MakerResponse, kind = maker.kinds[0] ?? 'producer') => ({
  maker,
  kind,
  app: '',
  systems: '',
  types: invitedTypes(maker, kind),
  sources: '',
});

const stepsFor = (props: StepProps, makers: readonly MakerResponse[], trouble: React.ReactNode) => [
  { title: 'App', content: <AppStep {...props} makers={makers} /> },
  { title: 'Message types', content: <TypesStep {...props} /> },
  {
    title: 'Review',
    content: (
      <SpaceBetween size="m">
        <ReviewStep draft={props.draft} />
        {trouble}
      </SpaceBetween>
    ),
  },
];

const Form = ({ w, makers, first, onIssued }: FormProps) => {
  const [step, setStep] = useState(0);
  const [isTried, setTried] = useState(false);
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(first));
  const doing = useDoing();
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const missing = missingIn(draft, step);
  const make = () =>
    doing.run(
      () => call('connection.make', { names: { w }, body: requestOf(draft) }),
      'The connection is created. Its secret is shown once.',
      issued => {
        void loadConnections();
        onIssued(issued);
      },
    );
  const errorText = isTried ? missing : undefined;
  return (
    <Wizard
      activeStepIndex={step}
      isLoadingNextStep={doing.isBusy}
      submitButtonText="Create connection"
      steps={stepsFor({ draft, change }, makers, doing.trouble).map(one => ({
        ...one,
        ...(errorText ? { errorText } : {}),
      }))}
      onNavigate={({ detail: { requestedStepIndex } }) => {
        const isHeld = requestedStepIndex > step && missing !== undefined;
        setTried(isHeld);
        if (!isHeld) setStep(requestedStepIndex);
      }}
      onCancel={() => goTo(urlOf('connections', { w }))}
      onSubmit={() => void make()}
    />
  );
};

/** Makes a connection, and shows its secret once. */
export const MakePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  const [issued, setIssued] = useState<IssuedResponse | undefined>(undefined);
  if (issued)
    return (
      <Page title="Connection created">
        <Issued issued={issued} onDone={() => goTo(urlOf('connection', { w, c: issued.connection_id }))} />
      </Page>
    );
  return (
    <Page title="Create connection" lead="It works within a minute, with a secret that is shown once.">
      <Loaded loading={loading}>
        {({ makers }) => {
          const [first] = makers;
          return first ? (
            <Form w={w} makers={makers} first={first} onIssued={setIssued} />
          ) : (
            <Box>Your role does not allow this here. An editor creates connections.</Box>
          );
        }}
      </Loaded>
    </Page>
  );
};
