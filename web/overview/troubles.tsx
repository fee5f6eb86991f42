import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { useState } from 'react';
import {
  type ConsumerLine,
  connectionConditions,
  type OverviewResponse,
  type ProducerLine,
} from '../../lib/contract/portal/overview-responses.ts';
import { useCall } from '../page/data.tsx';
import { type Look, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { Ago, duration } from '../page/time.tsx';
import type { OwnOrganisation } from '../page/workspaces.ts';

type TroubleKind = Exclude<ConsumerLine['condition'], 'well' | 'quiet'>;

interface TroubleLine {
  readonly connection_id: string;
  readonly app_name: string;
  readonly kind: 'producer' | 'consumer';
  readonly trouble: TroubleKind;
  /** Messages that wait, or that were refused in the last hour. */
  readonly count: number;
  readonly oldest_seconds: number;
}

const isTrouble = (condition: ConsumerLine['condition']): condition is TroubleKind =>
  condition !== 'well' && condition !== 'quiet';

const ofConsumer = (line: ConsumerLine): readonly TroubleLine[] => {
  const { connection_id, app_name, condition, waiting = 0, oldest_seconds = 0 } = line;
  if (!isTrouble(condition)) return [];
  const told = { trouble: condition, count: waiting, oldest_seconds };
  return [{ connection_id, app_name, kind: 'consumer', ...told }];
};

const ofProducer = (line: ProducerLine): readonly TroubleLine[] => {
  const { connection_id, app_name, condition, hour } = line;
  if (!isTrouble(condition)) return [];
  const count = condition === 'limited' ? hour.limited : hour.refused;
  const told = { trouble: condition, count, oldest_seconds: 0 };
  return [{ connection_id, app_name, kind: 'producer', ...told }];
};

const rankOf = ({ trouble }: TroubleLine): number => connectionConditions.indexOf(trouble);

/** What is in trouble among the worst of both lists, the worst first. */
const troublesIn = ({ consumers, producers }: OverviewResponse): readonly TroubleLine[] => {
  const troubles = [...consumers.flatMap(ofConsumer), ...producers.flatMap(ofProducer)];
  return troubles.sort(
    (a, b) => rankOf(a) - rankOf(b) || b.oldest_seconds - a.oldest_seconds || b.count - a.count,
  );
};

const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

const looks: Readonly<Record<TroubleLine['trouble'], Look>> = {
  suspended: ['error', 'Suspended'],
  stuck: ['error', 'Stuck'],
  refused: ['error', 'Refused'],
  limited: ['warning', 'Rate limited'],
  slow: ['warning', 'Slow'],
  paused: ['stopped', 'Paused'],
};

interface Told {
  readonly text: string;
  readonly button: string;
  readonly href: string;
}

const waitingText = ({ count, oldest_seconds }: TroubleLine): string =>
  `${counted(count, 'message')} waiting, the oldest for ${duration(oldest_seconds * 1_000)}`;

/** What is wrong, and what to do next. */
const told = (w: string, one: TroubleLine): Told => {
  const { connection_id: c, kind, trouble, count } = one;
  const queue = { button: 'Open queue', href: urlOf('queue', { w, c }) };
  const connection = urlOf('connection', { w, c });
  switch (trouble) {
    case 'stuck':
      return { ...queue, text: `${waitingText(one)}; it acknowledges nothing` };
    case 'slow':
      return { ...queue, text: waitingText(one) };
    case 'refused': {
      const filters = { connection: c, kind: 'refused', from: '1-hour' };
      return {
        text: `${counted(count, 'message')} refused in the last hour`,
        button: 'Show refusals',
        href: urlOf('activity', { w }, filters),
      };
    }
    case 'limited':
      return {
        text: `${counted(count, 'request')} over its rate in the last hour; none was wrong`,
        button: 'Show its quota',
        href: connection,
      };
    case 'paused':
      return {
        text: kind === 'consumer' ? 'gets no new messages' : 'its messages are refused',
        button: 'Resume it',
        href: connection,
      };
    case 'suspended':
      return {
        text: 'is refused until the operator resumes its organisation',
        button: 'Show connection',
        href: connection,
      };
  }
};

const Line = ({ w, one }: { readonly w: string; readonly one: TroubleLine }) => {
  const { text, button, href } = told(w, one);
  return (
    <li className="trouble">
      <State of={looks[one.trouble]} />
      <span>
        <a href={urlOf('connection', { w, c: one.connection_id })}>
          <bdi>{one.app_name}</bdi>
        </a>{' '}
        {text}
      </span>
      <Button variant="inline-link" href={href} ariaLabel={`${button}: ${one.app_name}`}>
        {button}
      </Button>
    </li>
  );
};

const soonMilliseconds = 3 * 86_400_000;

/** A secret that stops working soon. */
export interface EndingSecret {
  readonly connection_id: string;
  readonly app_name: string;
  readonly validMilliseconds: number;
  readonly last_used_at?: string | undefined;
}

/** The replaced secrets of a workspace that stop working soon. */
export const useEndingSecrets = (w: string): readonly EndingSecret[] => {
  const { value } = useCall('connection.list', { names: { w } });
  return (value?.connections ?? []).flatMap(one => {
    const { connection_id, app_name, status, secrets } = one;
    const { valid_until: until = '', last_used_at } = secrets.previous ?? {};
    const validMilliseconds = Date.parse(until) - Date.now();
    const isEnding = validMilliseconds > 0 && validMilliseconds < soonMilliseconds;
    if (status === 'revoked' || !isEnding) return [];
    return [{ connection_id, app_name, validMilliseconds, last_used_at }];
  });
};

const Ending = ({ w, secret }: { readonly w: string; readonly secret: EndingSecret }) => {
  const { connection_id: c, app_name: app, validMilliseconds, last_used_at: used } = secret;
  const href = urlOf('connection', { w, c });
  return (
    <li className="trouble">
      <State of={['warning', 'Secret ends']} />
      <span>
        <a href={href}>
          <bdi>{app}</bdi>
        </a>
        : its old secret ends in {duration(validMilliseconds)};{' '}
        {used === undefined ? (
          'it was never used'
        ) : (
          <>
            it was last used <Ago at={used} />
          </>
        )}
      </span>
      <Button variant="inline-link" href={href} ariaLabel={`Show secrets: ${app}`}>
        Show secrets
      </Button>
    </li>
  );
};

/** Shown before somebody asks for the rest. */
const shownFirst = 5;

/** The worst of each kind, and then the next worst: many of one kind hide no other. */
const firstOf = (troubles: readonly TroubleLine[]): readonly TroubleLine[] => {
  const kinds = troubles.map(one => one.trouble);
  const worst = troubles.filter((one, at) => kinds.indexOf(one.trouble) === at);
  const others = troubles.filter(one => !worst.includes(one));
  const next = others.slice(0, Math.max(0, shownFirst - worst.length));
  const chosen = new Set([...worst, ...next]);
  return troubles.filter(one => chosen.has(one));
};

interface TroublesProps {
  readonly w: string;
  /** The first page of both lists: the worst of all connections. */
  readonly found: OverviewResponse;
  readonly organisation: OwnOrganisation;
  readonly endings: readonly EndingSecret[];
}

/** What somebody has to look at, the worst first; each with its next step. */
export const Troubles = ({ w, found, organisation, endings }: TroublesProps) => {
  const [isAll, setAll] = useState(false);
  const troubles = troublesIn(found);
  const { totals } = found;
  // The organisation's own suspension is one trouble, and not one for each connection.
  const isSuspended = organisation.status === 'suspended';
  const own = troubles.filter(one => !isSuspended || one.trouble !== 'suspended');
  const shown = isAll ? own : firstOf(own);
  const hidden = own.length - shown.length;
  const untold = totals.in_trouble - troubles.length;
  return (
    <>
      {isSuspended && (
        <Alert type="error" header={`${organisation.name} is suspended`}>
          Its {counted(totals.consumers + totals.producers, 'connection')} here are refused. Ask the
          operator of this bus to resume it.
        </Alert>
      )}
      {own.length + endings.length > 0 && (
        <Container header={<Header variant="h2">Needs attention</Header>}>
          <ul className="troubles">
            {shown.map(one => (
              <Line key={one.connection_id} w={w} one={one} />
            ))}
            {endings.map(secret => (
              <Ending key={`${secret.connection_id} secret`} w={w} secret={secret} />
            ))}
          </ul>
          {hidden > 0 && (
            <Button variant="inline-link" onClick={() => setAll(true)}>
              {hidden} more
            </Button>
          )}
          {isAll && untold > 0 && <div>{untold} more are in the lists below.</div>}
        </Container>
      )}
    </>
  );
};
