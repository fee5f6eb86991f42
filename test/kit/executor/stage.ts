import type { SomMessage } from '../../../lib/kit/client/index.ts';
import { makeReady, reactionTo } from '../../../lib/kit/executor/evaluate.ts';
import { Memory } from '../../../lib/kit/executor/memory.file.ts';
import type { Instance, Snapshot, Warning } from '../../../lib/kit/executor/skill.ts';

export type Members = Readonly<Record<string, unknown>>;

export const storyId = 'harbour-fire';
const correlation = '0190a000-0000-7000-8000-000000000001';

/** An instance of a skill, by its name in the library. */
export const instanceOf = (skill: string, label: string, values: object): Instance => ({
  skillId: `smart-stories/${skill}`,
  skillVersion: '0.2.2',
  label,
  values: JSON.parse(JSON.stringify(values)),
});

/**
 * A story that develops, and what a snapshot has besides. Members that are undefined are left out.
 */
export const snapshot = (sequence: number, more: Members = {}): Snapshot => {
  const lifecycle = { phase: 'DEVELOPING', phase_entered_at: '2026-11-22T09:00:00Z' };
  const base = {
    story_id: storyId,
    slug: 'HARBOUR',
    headline: 'Fire at the harbour',
    story_type: 'ACTIVE',
  };
  const times = { sequence_number: sequence, updated_at: '2026-11-22T09:00:00Z' };
  return JSON.parse(JSON.stringify({ ...base, lifecycle, ...times, ...more }));
};

export const breaking = {
  lifecycle: { phase: 'BREAKING', phase_entered_at: '2026-11-22T09:05:00Z' },
};

let ids = 0;
const newId = (): Warning['warning_id'] => {
  ids += 1;
  return `0190a000-0000-7000-9000-${ids.toString(16).padStart(12, '0')}` as Warning['warning_id'];
};

/** A message with an id of its own. */
export const message = (type: string, payload: object): SomMessage =>
  JSON.parse(
    JSON.stringify({
      som_version: '1.0.0',
      message_id: newId(),
      correlation_id: correlation,
      message_type: type,
      timestamp: '2026-11-22T09:00:00Z',
      originating_system: { system_id: 'desk', system_type: 'ncs' },
      topic: `som.${type}`,
      payload,
    }),
  );

/**
 * An executor without a bus: its instances, and a memory that is written and read again after each
 * message.
 */
export const stage = (instances: readonly Instance[]) => {
  const ready = instances.map(makeReady);
  let memory = new Memory('c-test');
  let sequence = 0;
  const send = (trigger: SomMessage) => {
    const { texts } = reactionTo(trigger, {
      memory,
      instances: ready,
      compose: (cause, declared) => ({
        ...message('skill.warning.raised', { warning_id: newId(), ...declared }),
        causation_id: cause.message_id,
      }),
    });
    return texts;
  };
  const warningsIn = (texts: readonly string[]): readonly Warning[] =>
    texts.map(text => JSON.parse(text).payload);
  return {
    send,
    /** The warnings that the next snapshot of the story brings. */
    snapshot: (more: Members = {}): readonly Warning[] => {
      sequence += 1;
      return warningsIn(send(message('story.context', snapshot(sequence, more))));
    },
    /** The warnings that another message brings. */
    other: (type: string, payload: object): readonly Warning[] =>
      warningsIn(send(message(type, payload))),
    /** The process ends, and another begins with what was stored. */
    restart() {
      memory = new Memory('c-test', memory.toText());
    },
  };
};

/** The only warning that a story brings as its first snapshot. */
export const only = (instance: Instance, more: Members): Warning => {
  const [warning, ...others] = stage([instance]).snapshot(more);
  if (warning === undefined || others.length > 0)
    throw new Error(`There are ${others.length + (warning ? 1 : 0)} warnings.`);
  return warning;
};
