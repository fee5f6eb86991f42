/** @jsxImportSource preact */
import type { AnswerOf, ConsumerLifeAnswer } from '../../lib/contract/portal-answers.ts';
import { ruleAdvice } from '../../lib/contract/rule-advice.ts';
import { type RuleId, rules } from '../../lib/contract/rules.ts';
import { addressOf } from '../page/address.ts';
import { ConnectionName } from '../page/connection-name.tsx';
import { Badge, When } from '../page/facts.tsx';
import { ReplayOne } from './replay-one.tsx';

type Life = AnswerOf<'workspace.message'>;

const states: Readonly<
  Record<ConsumerLifeAnswer['state'], readonly ['right' | 'wrong' | 'open' | 'quiet', string]>
> = {
  waiting: ['open', 'Not in its queue yet'],
  queued: ['open', 'In its queue'],
  received: ['open', 'Received, not acknowledged yet'],
  returned: ['open', 'Returned: comes again later'],
  acknowledged: ['right', 'Acknowledged'],
  expired: ['wrong', 'Expired: nobody acknowledged it in time'],
  skipped: ['wrong', 'Never sent: the queue was gone'],
  lost: ['wrong', 'Lost: the connection was revoked before'],
};

const Receives = ({ received, replayed }: Pick<ConsumerLifeAnswer, 'received' | 'replayed'>) => (
  <ol class="plain-list">
    {replayed.map(({ replay_id: id, sent_at: at }) => (
      <li key={`${id}${at}`}>
        Replayed at <When at={at} />
      </li>
    ))}
    {received.map(one => (
      <li key={`${one.received_at}${one.receive_count}`}>
        Received at <When at={one.received_at} />
        {one.receive_count > 1 && ` (time ${one.receive_count})`}
        {one.acknowledged_at !== undefined && (
          <>
            , acknowledged at <When at={one.acknowledged_at} />
          </>
        )}
        {one.released_at !== undefined && (
          <>
            , returned at <When at={one.released_at} />
          </>
        )}
        {one.acknowledged_at === undefined && one.visible_at !== undefined && (
          <>
            , can be received again from <When at={one.visible_at} />
          </>
        )}
      </li>
    ))}
    {received.length + replayed.length === 0 && <li class="quiet">Not received yet</li>}
  </ol>
);

/** Where the message is for each consumer. */
export const Consumers = ({ w, life, again }: { readonly w: string; readonly life: Life; again(): void }) =>
  life.consumers.length === 0 ? (
    <p class="empty">No consumer in this workspace subscribes to this message.</p>
  ) : (
    <ul class="cards">
      {life.consumers.map(one => {
        const [tone, words] = states[one.state];
        return (
          <li key={one.connection_id}>
            <h3>
              <ConnectionName id={one.connection_id} /> <Badge tone={tone}>{words}</Badge>
            </h3>
            {one.waits_for !== undefined && (
              <p>
                It waits behind{' '}
                <a href={addressOf('message', { w, m: one.waits_for })}>
                  <code>{one.waits_for}</code>
                </a>{' '}
                of the same story.
              </p>
            )}
            <Receives received={one.received} replayed={one.replayed} />
            <ReplayOne w={w} c={one.connection_id} life={life} again={again} />
          </li>
        );
      })}
    </ul>
  );

const isRule = (id: string): id is RuleId => Object.hasOwn(rules, id);

const Violation = ({
  violation: { rule, message, path },
}: {
  readonly violation: Life['refusals'][number]['violations'][number];
}) => (
  <li>
    <h3>
      <code>{rule}</code>
    </h3>
    <p>{message}</p>
    {path !== undefined && (
      <p>
        At <code>{path === '' ? 'the whole message' : path}</code>
      </p>
    )}
    {isRule(rule) && <p class="quiet">{ruleAdvice[rule]}</p>}
  </li>
);

/** Why the message was refused, each time. */
export const Refusals = ({ w, life }: { readonly w: string; readonly life: Life }) => (
  <>
    {life.refusals.map(({ refused_at: at, connection_id: id, violations }) => (
      <section key={at + id}>
        <p>
          Refused at <When at={at} />, sent by <ConnectionName id={id} />:
        </p>
        <ul class="cards violations">
          {violations.map((violation, place) => (
            <Violation key={place} violation={violation} />
          ))}
        </ul>
        <p>
          <a href={addressOf('validate', { w }, { connection: id })}>
            Correct it, and ask what the bus would say
          </a>
        </p>
      </section>
    ))}
  </>
);
