import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { type LeftOut, reachableReasons } from '../../lib/contract/portal/overview-responses.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { Section, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { SendAgain } from './send-again.tsx';
import '../page/people.css';

type MessageLife = ResponseOf<'workspace.message'>;

interface LeftOutProps {
  readonly w: string;
  readonly life: MessageLife;
  again(): void;
}

/** Reasons that somebody looks for, in this order. */
const reasons = {
  paused: 'Paused',
  suspended: 'Its organisation is suspended',
  subscribed_later: 'Subscribed later',
  changed_since: 'Was paused or not subscribed: the last changes do not say which',
  created_later: 'Created later',
  source_excluded: 'Does not want messages from this system',
} as const satisfies Partial<Record<LeftOut['why'], string>>;

type Reason = keyof typeof reasons;

/** When it began, who did it, and until when. */
const Moment = ({ since, by, until }: LeftOut) => (
  <>
    {since !== undefined && (
      <>
        {' '}
        <When at={since} />
      </>
    )}
    {by !== undefined && ` by ${by}`}
    {until !== undefined && (
      <>
        , until <When at={until} />
      </>
    )}
  </>
);

const verbs: Readonly<Record<Reason, string>> = {
  paused: 'paused',
  suspended: 'suspended',
  subscribed_later: 'subscribed',
  changed_since: 'since when is not known',
  created_later: 'created',
  source_excluded: 'another source',
};

/** What can be done for a consumer: this message, or all that it missed. */
const Actions = ({ w, life, one, again }: LeftOutProps & { readonly one: LeftOut }) => {
  const { connection_id: c, replay_id: replay, since, until } = one;
  if (!life.may_replay || !reachableReasons.has(one.why)) return null;
  if (replay !== undefined)
    return (
      <a href={urlOf('queue', { w, c })}>
        <State of={['in-progress', 'being sent']} />
      </a>
    );
  const { accepted_at: accepted = '' } = life;
  // In a pause, earlier messages were missed too.
  const from = one.why === 'paused' ? (since ?? accepted) : accepted;
  const missed = { from, to: until ?? '' };
  return (
    <SpaceBetween direction="horizontal" size="s">
      <SendAgain w={w} life={life} c={c} again={again} button="Send to them" />
      <a href={urlOf('queue', { w, c }, missed)}>
        Send all that they missed since <When at={from} />
      </a>
    </SpaceBetween>
  );
};

/** Of one reason that are shown at once. */
const maxShown = 5;

const Group = ({
  why,
  all,
  ...props
}: LeftOutProps & { readonly why: Reason; readonly all: readonly LeftOut[] }) => {
  const line = (one: LeftOut) => (
    <li key={one.connection_id}>
      <div>
        <a href={urlOf('queue', { w: props.w, c: one.connection_id })}>
          <ConnectionName id={one.connection_id} isShort />
        </a>{' '}
        <Box color="text-body-secondary" display="inline">
          {verbs[why]}
          <Moment {...one} />
        </Box>
      </div>
      <Actions {...props} one={one} />
    </li>
  );
  return (
    <div>
      <Box variant="h3" fontSize="heading-xs" padding="n">
        {reasons[why]} ({all.length})
      </Box>
      <ul className="people">{all.slice(0, maxShown).map(line)}</ul>
      {all.length > maxShown && (
        <ExpandableSection headerText={`${all.length - maxShown} more`}>
          <ul className="people">{all.slice(maxShown).map(line)}</ul>
        </ExpandableSection>
      )}
    </div>
  );
};

/** Those that never get such a message: one line, whose names are shown on demand. */
const Never = ({ life, all }: { readonly life: MessageLife; readonly all: readonly LeftOut[] }) => {
  const [isOpen, setOpen] = useState(false);
  const many = all.length === 1 ? '1 consumer does' : `${all.length} consumers do`;
  return (
    <ExpandableSection
      headerText={`${many} not subscribe to ${life.message_type}`}
      expanded={isOpen}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      {isOpen && (
        <div className="names">
          {all.map(one => (
            <ConnectionName key={one.connection_id} id={one.connection_id} isShort />
          ))}
        </div>
      )}
    </ExpandableSection>
  );
};

/** Who did not get the message, by the reason. */
export const DidNotGetIt = (props: LeftOutProps) => {
  const { life } = props;
  const of = (why: LeftOut['why']) => life.left_out.filter(one => one.why === why);
  const never = of('not_subscribed');
  const ofRun = of('test_run');
  const groups = (Object.keys(reasons) as Reason[])
    .map(why => ({ why, all: of(why) }))
    .filter(({ all }) => all.length > 0);
  if (life.left_out.length === 0) return null;
  return (
    <Section title="Who did not" counter={`(${life.left_out.length})`}>
      <SpaceBetween size="s">
        {groups.map(({ why, all }) => (
          <Group key={why} {...props} why={why} all={all} />
        ))}
        {ofRun.length > 0 && (
          <Box>
            A test run sent it to its own consumer only: {ofRun.length} others did not get it.
          </Box>
        )}
        {never.length > 0 && <Never life={life} all={never} />}
      </SpaceBetween>
    </Section>
  );
};
