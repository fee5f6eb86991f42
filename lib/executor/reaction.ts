import type { SomMessage } from '../client/index.ts';
import { type Declared, declare, keyOf, type StoryMemory } from './declarations.ts';
import { isActive, isOver, type ReadyInstance } from './evaluate.ts';
import type { Memory } from './memory.ts';
import type { Snapshot } from './skill.ts';

/** Makes the message that answers a trigger with a warning. */
export type ComposeWarning = (trigger: SomMessage, declared: Declared) => SomMessage;

/** What one instance makes of a snapshot. */
const evaluateOne = (
  before: StoryMemory,
  snapshot: Snapshot,
  { instance, evaluate }: ReadyInstance,
): ReturnType<typeof declare> => {
  const copies = new Map(before.copies);
  const findings = evaluate(snapshot, (item, now) => {
    const key = keyOf(instance.label, item);
    const copy = copies.get(key) ?? now;
    copies.set(key, copy);
    return copy;
  });
  return declare({ ...before, copies }, snapshot.story_id, { instance, findings });
};

/** What all instances make of a snapshot, one after the other: none knows of another. */
const evaluateAll = (
  before: StoryMemory,
  snapshot: Snapshot,
  instances: readonly ReadyInstance[],
): ReturnType<typeof declare> => {
  if (isOver(snapshot)) return { after: { ...before, open: new Map() }, warnings: [] };
  let after = before;
  const warnings: Declared[] = [];
  for (const ready of instances.filter(({ instance }) => isActive(snapshot, instance))) {
    const told = evaluateOne(after, snapshot, ready);
    after = told.after;
    warnings.push(...told.warnings);
  }
  return { after, warnings };
};

const holdSkill = 'smart-stories/hold-while-flagged';

/** What a message makes an executor look at: its own snapshot if that is new, or the newest one of its correlation again. */
const lookAt = (
  message: SomMessage,
  memory: Memory,
  instances: readonly ReadyInstance[],
): { readonly snapshot: Snapshot; readonly instances: readonly ReadyInstance[] } | undefined => {
  if (message.message_type === 'story.context') {
    const { sequence_number, story_id } = message.payload;
    const isNew = sequence_number > memory.story(story_id).sequence;
    return isNew ? { snapshot: message.payload, instances } : undefined;
  }
  const snapshot = memory.newest(message.correlation_id);
  if (!snapshot) return undefined;
  // A warning triggers no skill: hold-while-flagged, which is recalled on it, looks at the gates of the story.
  const isWarning = message.message_type === 'skill.warning.raised';
  return {
    snapshot,
    instances: isWarning ? instances.filter(({ instance }) => instance.skillId === holdSkill) : instances,
  };
};

/** What became of a trigger: the messages that answer it, and whether the memory has changed. */
export interface Answered {
  /** As they are to be sent. */
  readonly texts: readonly string[];
  readonly isChanged: boolean;
}

/**
 * Decides how to answer a message, and notes that in the memory: keep it before the responses are sent. A message that comes again gets
 * the same responses again.
 */
export const response = (
  message: SomMessage,
  context: {
    readonly memory: Memory;
    readonly instances: readonly ReadyInstance[];
    readonly compose: ComposeWarning;
  },
): Answered => {
  const { memory, compose } = context;
  const before = memory.responsesTo(message.message_id);
  if (before) return { texts: before, isChanged: false };
  const look = lookAt(message, memory, context.instances);
  if (!look) return { texts: [], isChanged: false };
  const { snapshot } = look;
  const story = memory.story(snapshot.story_id);
  const { after, warnings } = evaluateAll(story, snapshot, look.instances);
  const texts = warnings.map(declared => JSON.stringify(compose(message, declared)));
  const isSnapshot = message.message_type === 'story.context';
  memory.keepStory(snapshot.story_id, { ...after, sequence: snapshot.sequence_number });
  if (isSnapshot) memory.keepNewest(message.correlation_id, snapshot);
  if (texts.length > 0) memory.keepResponses(message.message_id, texts);
  return { texts, isChanged: isSnapshot || texts.length > 0 };
};
