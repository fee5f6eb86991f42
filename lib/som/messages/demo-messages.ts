import data from './demo-messages.json';

type Members = Readonly<Record<string, unknown>>;

interface DemoMessage extends Members {
  readonly message_id: string;
  readonly message_type: string;
}

const minute = (number: number): string => `2026-05-04T09:${String(number).padStart(2, '0')}:00Z`;

const storyIdOf = (correlationId: string): string => `harbour-fire-${correlationId.slice(0, 8)}`;

const envelope = (systemId: string, correlation_id: string, index: number) => ({
  som_version: '1.0.0',
  message_id: crypto.randomUUID(),
  correlation_id,
  timestamp: minute(index),
  originating_system: { system_id: systemId, system_type: 'ncs' },
});

/**
 * The life of one story in seven story.context messages, each the exact bytes a producer would
 * send. The data has what each snapshot changes; a story.context is always the whole story, so
 * earlier members stay unless they become null.
 *
 * @param systemId the sender's `originating_system.system_id`
 */
export const demoStory = (systemId: string): readonly string[] => {
  const correlationId = crypto.randomUUID();
  let story: Members = { story_id: storyIdOf(correlationId), slug: 'HARBOUR-FIRE' };
  return data.story.map((change, index) => {
    const whole = { ...story, ...change, sequence_number: index + 1, updated_at: minute(index) };
    story = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
    const context = { message_type: 'story.context', topic: 'som.story', payload: story };
    return JSON.stringify({ ...envelope(systemId, correlationId, index), ...context }, null, 2);
  });
};

/** The message types of the chain: every type that SOM 1.0 has a schema for. */
export const demoTypes: readonly string[] = data.chain.map(({ message_type }) => message_type);

/**
 * The life of a new story in ten messages, one of each type, with one `correlation_id`. In the
 * data, `{new}` is a new id each time, and other names in braces are the same id throughout.
 *
 * @param systemId the sender's `originating_system.system_id`
 */
export const demoChain = (systemId: string): readonly DemoMessage[] => {
  const correlationId = crypto.randomUUID();
  const ids = new Map([
    ['{story}', storyIdOf(correlationId)],
    ['{link}', crypto.randomUUID()],
    ['{telling}', crypto.randomUUID()],
  ]);
  const text = JSON.stringify(data.chain).replace(
    /\{\w+\}/g,
    name => ids.get(name) ?? crypto.randomUUID(),
  );
  const steps: typeof data.chain = JSON.parse(text);
  let cause: { causation_id?: string } = {};
  return steps.map((step, index) => {
    const message = { ...envelope(systemId, correlationId, index), ...cause, ...step };
    cause = { causation_id: message.message_id };
    return message;
  });
};
