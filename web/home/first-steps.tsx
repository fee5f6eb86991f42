/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf } from '../page/address.ts';
import { call } from '../page/call.ts';
import type { OpenWorkspace } from '../page/places.ts';

/** Pages that are read for one line: each may be many quiet days, or many lines of other kinds. */
const maxPages = 8;

/** Whether something has happened in a workspace; undefined until that is known. */
const useHappened = (w: string, kind: string): boolean | undefined => {
  const happened = useSignal<boolean | undefined>(undefined);
  const look = async () => {
    let before = '';
    for (let pages = 0; pages < maxPages; pages += 1) {
      const reply = await call('workspace.activity', { names: { w }, query: { kind, before } });
      if (reply.kind !== 'ok') return;
      happened.value = reply.value.activity.length > 0;
      if (happened.value || reply.value.next === undefined) return;
      before = reply.value.next;
    }
  };
  useEffect(() => {
    void look();
  }, [w, kind]);
  return happened.value;
};

const Step = ({
  done,
  title,
  children,
}: {
  readonly done: boolean | undefined;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <li class={done ? 'done' : ''}>
    <h3>
      <span aria-hidden="true">{done ? '✓' : '○'}</span> {title}
      <span class="unseen">{done ? ': done' : ': not yet'}</span>
    </h3>
    {done === false && <div>{children}</div>}
  </li>
);

/** The way to the first message, each step ticked when the bus has seen it. */
export const FirstSteps = ({
  workspace: { id: w, name, isGuest },
  connections,
}: {
  readonly workspace: OpenWorkspace;
  /** Undefined until they are known. */
  readonly connections: AnswerOf<'workspace.show'>['connections'] | undefined;
}) => {
  const [accepted, received, acknowledged] = [
    useHappened(w, 'accepted'),
    useHappened(w, 'received'),
    useHappened(w, 'acknowledged'),
  ];
  const has = (kind: string) => connections?.some(one => one.kind === kind);
  const create = `sombus connection create --workspace ${w} --app my-system`;
  const isAllDone = has('producer') && has('consumer') && accepted && received && acknowledged;
  const steps = (
    <ol class="steps">
      <Step done={has('producer')} title="A producer's connection">
        <p>
          <a href={addressOf('makeConnection', { w })}>Make one here</a>, or with the command line:
        </p>
        <pre>{create} --kind producer</pre>
      </Step>
      <Step done={has('consumer')} title="A consumer's connection">
        <p>
          <a href={addressOf('makeConnection', { w })}>Make one here</a>, or with the command line:
        </p>
        <pre>{create} --kind consumer</pre>
      </Step>
      <Step done={accepted} title="The bus accepts a message">
        <pre>{'sombus example > message.json\nsombus publish message.json'}</pre>
      </Step>
      <Step done={received} title="A consumer receives it">
        <pre>sombus tail</pre>
      </Step>
      <Step done={acknowledged} title="And acknowledges it">
        <pre>sombus tail --ack</pre>
        <p>A message that is not acknowledged comes again after its visibility time.</p>
      </Step>
    </ol>
  );
  return (
    <>
      <h2>{name}</h2>
      {isGuest && <p class="quiet">You are invited here; you see what your own connections do.</p>}
      {isAllDone ? (
        <details>
          <summary>All steps to the first message are done</summary>
          {steps}
        </details>
      ) : (
        <>
          <p>The way to the first message:</p>
          {steps}
        </>
      )}
      <p>
        <a class="button main" href={addressOf('activity', { w })}>
          See what happens
        </a>
      </p>
    </>
  );
};
