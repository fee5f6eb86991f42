import type { PulledMessage } from '../../lib/client/index.ts';
import { type Day, dayOf, localText } from '../../lib/newsroom/day.ts';
import { script } from '../../lib/newsroom/script.ts';
import type { TestConnection } from '../../lib/testing/index.ts';

export const dated = (date: string): Day => {
  const day = dayOf(date);
  if (day === undefined) throw new Error(`${date} is no day.`);
  return day;
};

/** The day that is played. */
export const day = dated('2026-11-22');

/** The whole day: when, by whom, of what type, in which story, and the number of a snapshot. */
export const wholeDay = [
  '06:05:00 mam story.context tip-clip 1',
  '06:05:03 skill skill.warning.raised tip-clip',
  '06:50:00 ncs story.context sorrel-bridge 1',
  '06:50:03 skill skill.warning.raised sorrel-bridge',
  '06:50:30 mam delivery.media_available sorrel-bridge',
  '06:50:35 ncs story.context sorrel-bridge 2',
  '08:20:00 ncs story.context sorrel-bridge 3',
  '09:40:00 ncs story.context sorrel-bridge 4',
  '10:25:00 ncs story.context sorrel-bridge 5',
  '11:00:00 ncs story.context sorrel-bridge 6',
  '11:45:00 ncs story.context night-market 1',
  '11:45:03 skill skill.warning.raised night-market',
  '11:45:30 mam delivery.media_available night-market',
  '11:45:35 ncs story.context night-market 2',
  '12:20:00 ncs story.context sorrel-bridge 7',
  '12:20:20 graphics link.committed sorrel-bridge',
  '12:21:20 standards link.gate_changed sorrel-bridge',
  '12:21:20 standards system.audit sorrel-bridge',
  '12:21:50 playout telling.started sorrel-bridge',
  '12:22:05 cms link.committed sorrel-bridge',
  '12:22:10 cms telling.started sorrel-bridge',
  '14:00:00 ncs story.context sorrel-bridge 8',
  '14:40:00 ncs story.context night-market 3',
  '16:15:00 ncs story.context sorrel-bridge 9',
  '18:05:00 ncs story.context sorrel-bridge 10',
  '18:05:10 graphics link.withdrawn sorrel-bridge',
  '18:05:20 playout telling.ended sorrel-bridge',
  '18:05:30 cms telling.ended sorrel-bridge',
  '18:05:40 automation system.audit sorrel-bridge',
];

const storyOf = (correlation: string): string | undefined =>
  script(day).find(({ message }) => message.correlation_id === correlation)?.story;

const shown = ({ message }: Pick<PulledMessage, 'message'>): string => {
  const { timestamp, originating_system, message_type, correlation_id } = message;
  const number = message.message_type === 'story.context' ? [message.payload.sequence_number] : [];
  const role = originating_system.system_id.replace('fennel-', '');
  return [
    localText(Date.parse(timestamp)).slice(11),
    role,
    message_type,
    storyOf(correlation_id),
    ...number,
  ].join(' ');
};

/** Everything that the bus accepted since the witness was made. */
export const witnessed = async (witness: TestConnection): Promise<readonly string[]> => {
  const seen: string[] = [];
  for await (const delivery of witness.consume({ wait: 0, untilEmpty: true })) seen.push(shown(delivery));
  return seen.sort();
};
