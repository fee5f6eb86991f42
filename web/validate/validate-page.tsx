/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { ruleAdvice } from '../../lib/contract/rule-advice.ts';
import { addressOf, filters, setFilters } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { asNew, examples, mistakes, textOfMessage } from './examples.ts';
import { type Place, placeOf } from './place.ts';

type Answer = AnswerOf<'validate.message'>;

interface Found {
  readonly rule: string;
  readonly message: string;
  readonly path: string;
}

const textIn = (value: object, name: string): string => {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : '';
};

/** The violations or tolerated findings of a verdict. */
const findingsOf = (verdict: object, name: 'violations' | 'tolerated'): readonly Found[] => {
  const found: unknown = Reflect.get(verdict, name);
  return (Array.isArray(found) ? found : []).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null
      ? [{ rule: textIn(one, 'rule'), message: textIn(one, 'message'), path: textIn(one, 'path') }]
      : [],
  );
};

const adviceOn = (rule: string): string => {
  const advice: unknown = Object.hasOwn(ruleAdvice, rule) ? Reflect.get(ruleAdvice, rule) : '';
  return typeof advice === 'string' ? advice : '';
};

/** The text that a verdict is about, and what leads to a place in it. */
interface Looked {
  readonly text: string;
  show(place: Place): void;
}

/** Leads to the place of a finding in the text. */
const Line = ({ path, looked }: { readonly path: string; readonly looked: Looked }) => {
  const place = placeOf(looked.text, path);
  return place ? (
    <>
      <button type="button" onClick={() => looked.show(place)}>
        Line {place.line}
      </button>{' '}
    </>
  ) : null;
};

const Findings = ({ findings, looked }: { readonly findings: readonly Found[]; readonly looked: Looked }) => (
  <ul class="findings">
    {findings.map(({ rule, message, path }) => (
      <li key={`${rule} ${path}`}>
        <p>
          <Line path={path} looked={looked} />
          {path !== '' && (
            <>
              <code>{path}</code>:{' '}
            </>
          )}
          {message}
        </p>
        <p class="about">
          <code>{rule}</code> {adviceOn(rule)}
        </p>
      </li>
    ))}
  </ul>
);

const Verdict = ({
  answer: { status, verdict },
  looked,
}: {
  readonly answer: Answer;
  readonly looked: Looked;
}) => {
  const isAccepted = Reflect.get(verdict, 'accepted') === true;
  const isDuplicate = Reflect.get(verdict, 'duplicate') === true;
  const tolerated = findingsOf(verdict, 'tolerated');
  return (
    <section aria-labelledby="verdict" role="status">
      <h2 id="verdict" class={isAccepted ? 'right' : 'open'}>
        {isDuplicate
          ? 'The bus has this message already: it would accept it, and send nothing.'
          : isAccepted
            ? 'The bus would accept this message.'
            : 'The bus would refuse this message.'}
      </h2>
      <p class="quiet">It would answer with status {status}. Nothing was recorded or sent.</p>
      <Findings findings={findingsOf(verdict, 'violations')} looked={looked} />
      {tolerated.length > 0 && (
        <>
          <h3>Tolerated</h3>
          <Findings findings={tolerated} looked={looked} />
        </>
      )}
    </section>
  );
};

/** Valid examples, and what people get wrong. */
const Examples = ({ use }: { use(text: string): void }) => {
  const chosen = useSignal(0);
  const example = examples[chosen.value] ?? {};
  const fresh = () => asNew(example, () => crypto.randomUUID());
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">Examples</h2>
      <label class="filter">
        Message type
        <select value={chosen.value} onInput={event => (chosen.value = event.currentTarget.selectedIndex)}>
          {examples.map((one, at) => (
            <option key={`${one['message_type']}`} value={at}>
              {`${one['message_type']}`}
            </option>
          ))}
        </select>
      </label>
      <p>
        <button type="button" onClick={() => use(textOfMessage(fresh()))}>
          A valid message
        </button>
      </p>
      <p class="about">The ten commonest mistakes, to see what the bus says:</p>
      <ul class="list">
        {mistakes.map(({ title, make }) => (
          <li key={title}>
            <button type="button" onClick={() => use(textOfMessage(make(fresh())))}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Editor = ({ w, c }: { readonly w: string; readonly c: string }) => {
  const text = useSignal('');
  const answer = useSignal<Answer | undefined>(undefined);
  const box = useRef<HTMLTextAreaElement>(null);
  const action = useAttempt();
  const show = ({ from, to }: Place): void => {
    box.current?.focus();
    box.current?.setSelectionRange(from, to);
  };
  const edit = (next: string): void => {
    text.value = next;
    answer.value = undefined;
  };
  const drop = async (event: DragEvent): Promise<void> => {
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    edit(await file.text());
  };
  const check = () =>
    action.run(
      () => call('validate.message', { names: { w, c }, body: { text: text.value } }),
      found => (answer.value = found),
    );
  return (
    <>
      <form
        onSubmit={event => {
          event.preventDefault();
          void check();
        }}
      >
        <label class="editor">
          Message
          <textarea
            ref={box}
            rows={16}
            spellcheck={false}
            value={text.value}
            placeholder="Paste a message, or drop a file here."
            onInput={event => edit(event.currentTarget.value)}
            onDragOver={event => event.preventDefault()}
            onDrop={event => void drop(event)}
          />
        </label>
        <p>
          <button type="submit" class="main" disabled={action.isBusy || text.value.trim() === ''}>
            What would the bus say?
          </button>
        </p>
      </form>
      <AttemptTrouble attempt={action} />
      {answer.value && <Verdict answer={answer.value} looked={{ text: text.value, show }} />}
      <Examples use={edit} />
    </>
  );
};

/** The verdict that a publish of a chosen connection would get. */
export const ValidatePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  return (
    <Page
      title="Validate"
      lead="Every check of a publish, in the same order, and nothing is recorded or sent."
    >
      <Loaded loading={loading}>
        {({ connections }) => {
          const producers = connections.filter(
            ({ kind, status }) => kind === 'producer' && status === 'active',
          );
          const wanted = filters.value.get('connection') ?? '';
          const chosen = producers.find(one => one.connection_id === wanted) ?? producers[0];
          if (!chosen)
            return (
              <p class="empty">
                There is no active producer to ask for.{' '}
                <a href={addressOf('makeConnection', { w })}>Make a connection</a> first.
              </p>
            );
          return (
            <>
              <label class="filter">
                As a publish of
                <select
                  value={chosen.connection_id}
                  onInput={event => setFilters({ connection: event.currentTarget.value })}
                >
                  {producers.map(one => (
                    <option key={one.connection_id} value={one.connection_id}>
                      {one.app_name} ({one.connection_id})
                    </option>
                  ))}
                </select>
              </label>
              <Editor w={w} c={chosen.connection_id} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
};
