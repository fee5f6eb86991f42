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
  again,
}: {
  readonly names: QueueNames;
  readonly replay: ReplayAnswer;
  again(): void;
}) => {
  const action = useAttempt();
  const cancel = () =>
    action.run(() => call('queue.cancelReplay', { names: { ...names, y: replay.replay_id } }), again);
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
          <button type="button" disabled={action.isBusy} onClick={() => void cancel()}>
            Cancel
          </button>
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

const StartForm = ({ names, onStarted }: { readonly names: QueueNames; onStarted(): void }) => {
  const from = useSignal(localText(Date.now() - 3_600_000));
  const to = useSignal('');
  const type = useSignal('');
  const correlation = useSignal('');
  const counted = useSignal<AnswerOf<'queue.countReplay'> | undefined>(undefined);
  const action = useAttempt();
  const id = useId();
  const body = {
    from: isoOf(from.value),
    to: isoOf(to.value),
    type: type.value,
    correlation_id: correlation.value,
  };
  const edit = (field: typeof from) => (event: { readonly currentTarget: HTMLInputElement }) => {
    field.value = event.currentTarget.value;
    counted.value = undefined;
  };
  const count = () =>
    action.run(
      () => call('queue.countReplay', { names: { ...names }, body }),
      answer => (counted.value = answer),
    );
  const start = () =>
    action.run(
      () => call('queue.startReplay', { names: { ...names }, body }),
      () => {
        counted.value = undefined;
        onStarted();
      },
    );
  return (
    <form
      class="instance"
      onSubmit={event => {
        event.preventDefault();
        void count();
      }}
    >
      <div class="field">
        <label for={`${id}-from`}>Accepted from</label>
        <input id={`${id}-from`} type="datetime-local" required value={from.value} onInput={edit(from)} />
      </div>
      <div class="field">
        <label for={`${id}-to`}>to (optional: until now)</label>
        <input id={`${id}-to`} type="datetime-local" value={to.value} onInput={edit(to)} />
      </div>
      <div class="field">
        <label for={`${id}-type`}>Only this type, or family.* (optional)</label>
        <input id={`${id}-type`} type="text" value={type.value} onInput={edit(type)} />
      </div>
      <div class="field">
        <label for={`${id}-correlation`}>Only this correlation_id (optional)</label>
        <input id={`${id}-correlation`} type="text" value={correlation.value} onInput={edit(correlation)} />
      </div>
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
export const Replays = ({ names }: { readonly names: QueueNames }) => {
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
      <StartForm names={names} onStarted={loading.again} />
      <Loaded loading={loading}>
        {({ replays }) =>
          replays.length === 0 ? (
            <p class="empty">There were no replays to this consumer in the last 90 days.</p>
          ) : (
            <ul class="instances">
              {replays.map(replay => (
                <Replay key={replay.replay_id} names={names} replay={replay} again={loading.again} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
};
