/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { ReplayAnswer } from '../../lib/contract/work-answers.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Badge, When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';

interface QueueNames {
  readonly w: string;
  readonly c: string;
}

const tones = { running: 'open', finished: 'right', cancelled: 'quiet', failed: 'wrong' } as const;

/** How often the progress of a running replay is asked for. */
const everyMilliseconds = 2_500;

const Replay = ({
  names,
  replay,
  mayCancel,
  again,
}: {
  readonly names: QueueNames;
  readonly replay: ReplayAnswer;
  readonly mayCancel: boolean;
  again(): void;
}) => {
  const action = useAttempt();
  const cancel = () =>
    action.run(
      () => call('queue.cancelReplay', { names: { ...names, y: replay.replay_id } }),
      again,
      'The replay is cancelled.',
    );
  return (
    <li>
      <p>
        <Badge tone={tones[replay.status]}>{replay.status}</Badge> <When at={replay.from} /> to{' '}
        <When at={replay.to} />
        {replay.type && `, ${replay.type}`}
        {replay.correlation_id && (
          <>
            , <code>{replay.correlation_id}</code>
          </>
        )}
        : {replay.sent} sent
      </p>
      {replay.status === 'running' && (
        <p class="actions">
          <progress max={100} value={replay.percent} aria-label={`${replay.percent} percent done`} />
          {mayCancel && (
            <button type="button" disabled={action.isBusy} onClick={() => void cancel()}>
              Cancel
            </button>
          )}
        </p>
      )}
      {(replay.problem ?? replay.reason) && <p class="open">{replay.problem ?? replay.reason}</p>}
      {replay.waiting_for && (
        <p class="quiet">{replay.waiting_for.length} correlations wait until their own messages are sent.</p>
      )}
      <AttemptTrouble attempt={action} />
    </li>
  );
};

/** A moment of the reader's own time, as the browser's field has it: without a zone. */
const localText = (time: number): string => {
  const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
};

const isoOf = (text: string): string => (text === '' ? '' : new Date(text).toISOString());

const isNothing = ({ messages, counted_until }: AnswerOf<'queue.countReplay'>): boolean =>
  messages === 0 && counted_until === undefined;

const countedWords = ({ messages, counted_until }: AnswerOf<'queue.countReplay'>): string => {
  const many = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
  return counted_until === undefined
    ? `It would send ${many}.`
    : `It would send at least ${many}: the bus stopped counting at ${counted_until}, before the end.`;
};

/** What a replay is asked for, as it is typed. */
interface Asked {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly correlation: string;
}

const fields: readonly (readonly [name: keyof Asked, label: string])[] = [
  ['from', 'Accepted from'],
  ['to', 'to (optional: until now)'],
  ['type', 'Only this type, or family.* (optional)'],
  ['correlation', 'Only this correlation_id (optional)'],
];

const isTime = (name: keyof Asked): boolean => name === 'from' || name === 'to';

const Fields = ({ asked, edit }: { readonly asked: Asked; edit(name: keyof Asked, text: string): void }) => {
  const id = useId();
  return (
    <>
      {fields.map(([name, label]) => {
        const input = {
          id: `${id}-${name}`,
          value: asked[name],
          onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
            edit(name, event.currentTarget.value),
        };
        return (
          <div class="field" key={name}>
            <label for={input.id}>{label}</label>
            {isTime(name) ? (
              <input {...input} type="datetime-local" required={name === 'from'} />
            ) : (
              <input {...input} type="text" />
            )}
          </div>
        );
      })}
    </>
  );
};

const StartForm = ({ names, onStarted }: { readonly names: QueueNames; onStarted(): void }) => {
  const asked = useSignal<Asked>({
    from: localText(Date.now() - 3_600_000),
    to: '',
    type: '',
    correlation: '',
  });
  const counted = useSignal<AnswerOf<'queue.countReplay'> | undefined>(undefined);
  const action = useAttempt();
  const { from, to, type, correlation } = asked.value;
  const body = { from: isoOf(from), to: isoOf(to), type, correlation_id: correlation };
  const edit = (name: keyof Asked, text: string) => {
    asked.value = { ...asked.value, [name]: text };
    counted.value = undefined;
  };
  const count = () =>
    action.run(
      () => call('queue.countReplay', { names: { ...names }, body }),
      answer => (counted.value = answer),
      'Counted.',
    );
  const start = () =>
    action.run(
      () => call('queue.startReplay', { names: { ...names }, body }),
      () => {
        counted.value = undefined;
        onStarted();
      },
      'The replay has started.',
    );
  return (
    <form
      class="instance"
      onSubmit={event => {
        event.preventDefault();
        void count();
      }}
    >
      <Fields asked={asked.value} edit={edit} />
      <AttemptTrouble attempt={action} />
      <p role="status">{counted.value ? countedWords(counted.value) : ''}</p>
      <p class="actions">
        <button type="submit" disabled={action.isBusy}>
          Count first
        </button>
        <button
          type="button"
          class="main"
          disabled={action.isBusy || !counted.value || isNothing(counted.value)}
          onClick={() => void start()}
        >
          Start the replay
        </button>
      </p>
    </form>
  );
};

/** The replays to a consumer, and a new one: it is counted before it starts. */
export const Replays = ({
  names,
  mayReplay,
}: {
  readonly names: QueueNames;
  readonly mayReplay: boolean;
}) => {
  const loading = useCall('queue.replays', { names: { ...names } });
  const isRunning = loading.value?.replays.some(({ status }) => status === 'running') ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') loading.again();
    }, everyMilliseconds);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <>
      <h2>Replays</h2>
      <p class="about">A replay sends archived messages to this consumer again; others get nothing.</p>
      {mayReplay && <StartForm names={names} onStarted={loading.again} />}
      <Loaded loading={loading}>
        {({ replays }) =>
          replays.length === 0 ? (
            <p class="empty">There were no replays to this consumer in the last 90 days.</p>
          ) : (
            <ul class="instances">
              {replays.map(replay => (
                <Replay
                  key={replay.replay_id}
                  names={names}
                  replay={replay}
                  mayCancel={mayReplay}
                  again={loading.again}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
};
