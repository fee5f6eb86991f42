import { randomInt } from 'node:crypto';
import { post, type Response, ruleOf } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { isWorthAnother, moment, type Stage, tokenOf, unlessKilled } from './stage.ts';

/** A story that all producers write: the service decides whose snapshot comes first. */
export interface Story {
  readonly id: string;
  /** How many snapshots were begun. */
  snapshots: number;
}

/** The refusals of a snapshot that another producer's snapshot has overtaken. */
const overtaken: ReadonlySet<unknown> = new Set([
  'sequence_number.not_increasing',
  'commit.contention',
]);

/** Sends one message, with the same bytes each time, until the service gives a verdict. */
const publish = async (
  stage: Stage,
  token: () => Promise<string>,
  text: string,
): Promise<Response> => {
  for (;;) {
    const { base_url, workspace } = stage.service.ready;
    const sending = post(`${base_url}/tenants/${workspace}/messages`, await token(), text);
    const response = await unlessKilled(sending);
    if (response && !isWorthAnother(response, stage)) return response;
    stage.resent += 1;
    if (response?.status === 503) stage.unavailable += 1;
    stage.onProgress();
    await stage.started;
  }
};

/** Every third message is a link, the others are snapshots. */
const messageOf = (story: Story, index: number) => {
  const correlation_id = story.id;
  if (index % 3 === 0) return { message: linkCommitted({ correlation_id }) };
  story.snapshots += 1;
  const sequenceNumber = story.snapshots;
  const payload = { story_id: `story-${correlation_id}`, sequence_number: sequenceNumber };
  return { message: storyContext(payload, { correlation_id }), sequenceNumber };
};

/** Half of the messages go to a twentieth of the stories, so that all producers compete there. */
const anyOf = (stories: readonly Story[]): Story => {
  const busy = Math.ceil(stories.length / 20);
  const story = stories[randomInt(randomInt(2) === 0 ? busy : stories.length)];
  if (!story) throw new Error('There are no stories.');
  return story;
};

/**
 * Publishes until the service has acknowledged `count` messages, to stories that the other
 * producers write as well.
 */
export const produce = async (
  stage: Stage,
  stories: readonly Story[],
  count: number,
): Promise<void> => {
  const token = tokenOf(stage, stage.service.ready.producer);
  let done = 0;
  for (let index = 0; done < count && !stage.isOver; index += 1) {
    const story = anyOf(stories);
    const { message, ...number } = messageOf(story, index);
    const text = JSON.stringify(message, null, index % 4);
    const began = moment();
    const response = await publish(stage, token, text);
    if (response.status === 200 || response.status === 202) {
      const messageId = String(message['message_id']);
      stage.acknowledged.set(messageId, {
        messageId,
        correlationId: story.id,
        text,
        began,
        ended: moment(),
        ...number,
      });
      stage.onProgress();
      done += 1;
    } else if (response.status === 409 && overtaken.has(ruleOf(response))) stage.refused += 1;
    else
      throw new Error(
        `A publish was refused with ${response.status}: ${JSON.stringify(response.body)}`,
      );
  }
};
