import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { limits } from '../../lib/contract/limits.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { useDoing } from '../page/doing.tsx';
import { goTo, urlOf } from '../page/location.ts';

type Connections = ResponseOf<'workspace.show'>['connections'];
type Kind = 'producer' | 'consumer';
type RunKind = Kind | 'executor';

const kindsFor: Readonly<Record<Kind, readonly RunKind[]>> = {
  consumer: ['consumer', 'executor'],
  producer: ['producer', 'executor'],
};

/** What the run does, for each kind. */
const kindOptions = {
  executor: {
    label: 'an executor',
    description: 'It runs skills: the bus plays messages to it, and judges the warnings that it sends.',
  },
  consumer: {
    label: 'a consumer',
    description: 'The bus plays messages to it, and judges how it takes and acknowledges them.',
  },
  producer: {
    label: 'a producer',
    description:
      'Use your product as usual: the bus judges what it sends, and what it does when a publish fails.',
  },
} as const;

const instanceOptions = [
  { value: 'registered', label: 'those of the cases: the run registers them, and removes them' },
  { value: 'given', label: 'those that are registered already' },
];

const { min, max, default: usual } = limits.checks.limitSeconds;

const optionOf = (value: string) => ({ value, label: value });

interface Draft {
  readonly kind: RunKind;
  /** Undefined: the first that can be. */
  readonly other: string | undefined;
  readonly instances: string;
  readonly types: readonly string[];
  readonly seconds: string;
  readonly cases: string;
}

/** What is sent of the draft: of the fields that the chosen kind shows, the ones that were filled in. */
const bodyOf = (
  ownKind: Kind,
  { kind, other, instances, types, seconds, cases }: Draft & { readonly other: string },
) => {
  const otherKind = ownKind === 'consumer' ? 'producer' : 'consumer';
  const only = cases.split(/[\s,]+/).filter(one => one !== '');
  return {
    kind,
    ...(kind === 'executor' ? { [otherKind]: other, instances } : {}),
    ...(kind === 'producer' && types.length > 0 ? { message_types: types } : {}),
    ...(seconds.trim() === '' ? {} : { limit_seconds: Number(seconds) }),
    ...(only.length === 0 ? {} : { cases: only }),
  };
};

interface FieldsProps {
  readonly draft: Draft;
  readonly ownKind: Kind;
  readonly others: Connections;
  edit(part: Partial<Draft>): void;
}

/** The other connection of an executor, and where its skill instances come from. */
const ExecutorFields = ({ draft, ownKind, others, edit }: FieldsProps) => {
  const options = others.map(one => ({
    value: one.connection_id,
    label: one.app_name,
    description: one.connection_id,
  }));
  return (
    <>
      <FormField label={ownKind === 'consumer' ? 'It sends with' : 'It receives with'}>
        <Select
          selectedOption={options.find(({ value }) => value === draft.other) ?? null}
          options={options}
          empty="There is no other active connection of the organisation here."
          onChange={({ detail }) => edit({ other: detail.selectedOption.value ?? '' })}
        />
      </FormField>
      <FormField label="Skill instances">
        <Select
          selectedOption={instanceOptions.find(({ value }) => value === draft.instances) ?? null}
          options={instanceOptions}
          onChange={({ detail }) => edit({ instances: detail.selectedOption.value ?? 'registered' })}
        />
      </FormField>
    </>
  );
};

const ProducerFields = ({ draft, edit }: FieldsProps) => (
  <FormField
    label="Message types that it should send (optional)"
    description="Without any, those that it may send."
  >
    <Multiselect
      selectedOptions={draft.types.map(optionOf)}
      options={messageTypes.map(optionOf)}
      deselectAriaLabel={({ label = '' }) => `Remove ${label}`}
      onChange={({ detail }) => edit({ types: detail.selectedOptions.map(({ value = '' }) => value) })}
    />
  </FormField>
);

const Fields = (props: FieldsProps) => {
  const { draft, ownKind, edit } = props;
  const kinds = kindsFor[ownKind].map(value => ({ value, ...kindOptions[value] }));
  return (
    <>
      <FormField label="Test it as">
        <Select
          selectedOption={kinds.find(({ value }) => value === draft.kind) ?? null}
          options={kinds}
          onChange={({ detail }) => {
            const chosen = kinds.find(({ value }) => value === detail.selectedOption.value);
            if (chosen) edit({ kind: chosen.value });
          }}
        />
      </FormField>
      {draft.kind === 'executor' && <ExecutorFields {...props} />}
      {draft.kind === 'producer' && <ProducerFields {...props} />}
      <FormField
        label="Time limit for a response, in seconds (optional)"
        constraintText={`${min} to ${max}; ${usual} by default.`}
      >
        <Input value={draft.seconds} onChange={({ detail }) => edit({ seconds: detail.value })} />
      </FormField>
      <FormField label="Only these cases or skills (optional)">
        <Input
          value={draft.cases}
          placeholder="raise-flag-on-match"
          onChange={({ detail }) => edit({ cases: detail.value })}
        />
      </FormField>
    </>
  );
};

/** Starts a run of a connection, and opens it. */
export const StartForm = ({
  names,
  kind: ownKind,
  others,
}: {
  readonly names: { readonly w: string; readonly c: string };
  readonly kind: Kind;
  /** What can be the other connection of an executor. */
  readonly others: Connections;
}) => {
  const [chosen, setDraft] = useState<Draft>({
    kind: kindsFor[ownKind][0] ?? ownKind,
    other: undefined,
    instances: 'registered',
    types: [],
    seconds: '',
    cases: '',
  });
  // The others come later than the form, which keeps what was chosen until then.
  const draft = { ...chosen, other: chosen.other ?? others[0]?.connection_id ?? '' };
  const doing = useDoing();
  const start = () =>
    doing.run(
      () => call('check.start', { names: { ...names }, body: bodyOf(ownKind, draft) }),
      'The run has started.',
      run => goTo(urlOf('run', { ...names, t: run.run_id })),
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void start();
      }}
    >
      <SpaceBetween size="m">
        <Fields
          draft={draft}
          ownKind={ownKind}
          others={others}
          edit={part => setDraft({ ...chosen, ...part })}
        />
        <Box color="text-body-secondary">The system under test has to be running.</Box>
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Start run
        </Button>
      </SpaceBetween>
    </form>
  );
};
