/** @jsxImportSource preact */
import { type Signal, useSignal } from '@preact/signals';
import { limits } from '../../lib/contract/limits.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { ActionForm, useAction } from '../page/action.tsx';
import { addressOf, goTo } from '../page/address.ts';
import { ChoiceField, LinesField, linesIn, TextField } from '../page/fields.tsx';

type Connections = AnswerOf<'workspace.show'>['connections'];

const kindsFor = { consumer: ['executor', 'consumer'], producer: ['producer', 'executor'] } as const;

const kindWords = {
  executor: 'an executor: it runs skills, as a consumer and a producer',
  consumer: 'a consumer',
  producer: 'a producer',
} as const;

/** What the run does, for each kind. */
const about = {
  executor: 'The bus plays messages to it, and judges the warnings that it sends.',
  consumer: 'The bus plays messages to it, and judges how it takes and acknowledges them.',
  producer: 'Use your product as usual: the bus judges what it sends, and what it does when a publish fails.',
} as const;

const namesIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter(one => one !== '');

const { min, max, default: usual } = limits.checks.limitSeconds;

/** The other connection of an executor, and where its skill instances come from. */
const ExecutorFields = ({
  label,
  others,
  other,
  instances,
}: {
  readonly label: string;
  readonly others: Connections;
  readonly other: Signal<string>;
  readonly instances: Signal<string>;
}) => (
  <>
    <ChoiceField label={label} value={other}>
      {others.map(({ connection_id: id, app_name: app }) => (
        <option key={id} value={id}>
          {app} ({id})
        </option>
      ))}
    </ChoiceField>
    <ChoiceField label="Skill instances" value={instances}>
      <option value="registered">those of the cases: the run registers them, and removes them</option>
      <option value="given">those that are registered already</option>
    </ChoiceField>
  </>
);

type Kind = 'producer' | 'consumer';

const useFields = (ownKind: Kind, others: Connections) => ({
  kind: useSignal<(typeof kindsFor)[Kind][number]>(kindsFor[ownKind][0]),
  other: useSignal(others[0]?.connection_id ?? ''),
  instances: useSignal('registered'),
  types: useSignal(''),
  seconds: useSignal(''),
  cases: useSignal(''),
});

/** What is sent of the fields: of those that the chosen kind shows, the ones that were filled in. */
const bodyOf = (
  ownKind: Kind,
  { kind, other, instances, types, seconds, cases }: ReturnType<typeof useFields>,
) => {
  const otherKind = ownKind === 'consumer' ? 'producer' : 'consumer';
  const only = namesIn(cases.value);
  const wanted = linesIn(types.value);
  return {
    kind: kind.value,
    ...(kind.value === 'executor' ? { [otherKind]: other.value, instances: instances.value } : {}),
    ...(kind.value === 'producer' && wanted.length > 0 ? { message_types: wanted } : {}),
    ...(seconds.value.trim() === '' ? {} : { limit_seconds: Number(seconds.value) }),
    ...(only.length === 0 ? {} : { cases: only }),
  };
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
  const fields = useFields(ownKind, others);
  const { kind, types } = fields;
  const action = useAction('check.start', 'The run has started.');
  const start = async () => {
    const run = await action.run({ names: { ...names }, body: bodyOf(ownKind, fields) });
    if (run) goTo(addressOf('run', { ...names, t: run.run_id }));
  };
  return (
    <ActionForm button="Start the run" action={action} run={() => void start()}>
      <ChoiceField label="Test it as" value={kind}>
        {kindsFor[ownKind].map(one => (
          <option key={one} value={one}>
            {kindWords[one]}
          </option>
        ))}
      </ChoiceField>
      {kind.value === 'executor' && (
        <ExecutorFields
          label={ownKind === 'consumer' ? 'It sends with' : 'It receives with'}
          others={others}
          {...fields}
        />
      )}
      {kind.value === 'producer' && (
        <LinesField
          label="Message types that it should send (optional)"
          about={`One on each line, of ${messageTypes.join(', ')}. Without any, those that it may send.`}
          text={types.value}
          change={text => {
            types.value = text;
          }}
        />
      )}
      <TextField
        label={`Seconds for an answer (optional: ${min} to ${max}, ${usual} without it)`}
        value={fields.seconds}
      />
      <TextField
        label="Only these cases or skills (optional)"
        value={fields.cases}
        {...(kind.value === 'executor' ? { placeholder: 'raise-flag-on-match' } : {})}
      />
      <p class="about">The system under test has to be running. {about[kind.value]}</p>
    </ActionForm>
  );
};
