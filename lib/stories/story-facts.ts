import { type Family, families } from '../contract/message-types.ts';
import { jsonIn, shorten, valueAt } from '../json/value.ts';

/** What a person wants to know of a message of each family, by pointer into its payload. */
const told: Readonly<Record<Family, readonly string[]>> = {
  'story-context': [
    '/story_id',
    '/slug',
    '/headline',
    '/story_type',
    '/lifecycle/phase',
    '/priority/level',
    '/sequence_number',
    '/updated_at',
  ],
  'telling-event': ['/telling_id', '/link_id', '/scheduled_start', '/exposure_start', '/exposure_end'],
  'link-event': ['/link_id', '/asset_id', '/destination_id', '/committed_by', '/compliance_gate_status'],
  'delivery-media-available': ['/delivery_id', '/asset_id', '/source', '/arrived_in', '/arrived_at'],
  'skill-warning': ['/severity', '/skill_id', '/rule_id', '/scope', '/detail', '/story_id'],
  'system-audit': ['/audit_id', '/action', '/reason', '/recorded_at'],
};

const maxCharacters = 300;

const textAt = (payload: unknown, pointer: string): string | undefined => {
  const value = valueAt(payload, pointer);
  if (typeof value === 'string') return shorten(value, maxCharacters);
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
};

/**
 * The few facts of an accepted message that tell a person what happened, by the last names of their pointers; none for a type that
 * SOM 1.0 has no schema for. Long texts are shortened.
 */
export const factsOf = (messageType: string, body: Uint8Array): Readonly<Record<string, string>> => {
  const family = families.get(messageType);
  const payload = family && valueAt(jsonIn(body), '/payload');
  const facts = (family ? told[family] : []).flatMap(pointer => {
    const text = textAt(payload, pointer);
    return text === undefined ? [] : [[pointer.slice(pointer.lastIndexOf('/') + 1), text] as const];
  });
  return Object.fromEntries(facts);
};
