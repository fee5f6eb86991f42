import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import type {
  ConsumerLine,
  OverviewResponse,
  ProducerLine,
} from '../../lib/contract/portal/overview-responses.ts';
import { urlOf } from '../page/location.ts';
import { duration } from '../page/time.tsx';

interface Trouble {
  readonly id: string;
  readonly type: 'error' | 'warning';
  readonly text: string;
  readonly button: string;
  readonly href: string;
}

const messages = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`;

const ofConsumer = (w: string, one: ConsumerLine): readonly Trouble[] => {
  if (one.condition !== 'stuck' && one.condition !== 'slow') return [];
  const oldest = duration((one.oldest_seconds ?? 0) * 1_000);
  return [
    {
      id: one.connection_id,
      type: one.condition === 'stuck' ? 'error' : 'warning',
      text: `${one.app_name}: ${messages(one.waiting ?? 0)} waiting, the oldest for ${oldest}.`,
      button: 'Open queue',
      href: urlOf('queue', { w, c: one.connection_id }),
    },
  ];
};

const ofProducer = (w: string, one: ProducerLine): readonly Trouble[] =>
  one.condition !== 'refused'
    ? []
    : [
        {
          id: one.connection_id,
          type: 'error',
          text: `${one.app_name}: ${messages(one.hour.refused)} refused in the last hour${
            one.hour.limited > 0 ? `, ${one.hour.limited.toLocaleString('en')} rate limited` : ''
          }.`,
          button: 'Show refusals',
          href: urlOf(
            'activity',
            { w },
            { connection: one.connection_id, kind: 'refused', from: '1-hour' },
          ),
        },
      ];

/** More of them are in the lists below. */
const maxShown = 3;

/** What somebody has to look at first. */
export const Troubles = ({
  w,
  found,
}: {
  readonly w: string;
  readonly found: OverviewResponse;
}) => {
  const all = [
    ...found.consumers.flatMap(one => ofConsumer(w, one)),
    ...found.producers.flatMap(one => ofProducer(w, one)),
  ];
  return all.slice(0, maxShown).map(({ id, type, text, button, href }) => (
    <Alert key={id} type={type} action={<Button href={href}>{button}</Button>}>
      {text}
    </Alert>
  ));
};
