import { readFileSync } from 'node:fs';
import type { PulledMessage } from '../../../lib/kit/client/index.ts';
import { type Day, dayOf, localText } from '../../../lib/kit/newsroom/day.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';
import type { TestConnection } from '../../../lib/local/testing/index.ts';

export const dated = (date: string): Day => {
  const day = dayOf(date);
  if (day === undefined) throw new Error(`${date} is no day.`);
  return day;
};

/** The day that is played. */
export const day = dated('2026-11-22');

/** The whole day: when, by whom, of what type, in which story, and the number of a snapshot. */
export const wholeDay = readFileSync('test/kit/newsroom/whole-day.txt', 'utf8').trim().split('\n');

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
  for await (const delivery of witness.consume({ wait: 0, untilEmpty: true }))
    seen.push(shown(delivery));
  return seen.sort();
};
