import { limits } from './limits.ts';
import type { RuleId } from './rules.ts';

/** What whoever gets an answer with the rule should do, for the documentation. */
export const ruleAdvice: Readonly<Record<RuleId, string>> = {
  'message.not_json':
    'Send the bytes of one JSON object as UTF-8, without a byte order mark and without anything before or after it.',
  'message.duplicate_member':
    'Find the object at `path` and keep one of the two members. Most JSON libraries never write a name twice: look at where text is put together by hand.',
  'message.invalid_character':
    'Take the character at `path` out, or replace it with U+FFFD. A lone surrogate usually comes from cutting text in the middle of an emoji.',
  'message.too_deep':
    'Flatten what is nested so deep, usually vendor data in an extension; a SOM message itself never gets near the limit.',
  'som_version.pre_1_0':
    'Bring the producer to SOM 1.0: the shapes changed, so another `som_version` alone is not enough.',
  'som_version.unsupported_major':
    'Send `som_version` 1.x: this bus has no schemas for a later major version.',
  'payload.message_type_mismatch':
    'Set `message_type` in the envelope and in the payload to the same value, or leave it out of the payload where that is optional.',
  'message_type.unknown':
    'Look for a spelling mistake in `message_type`, and compare it with `message_types` of `GET /v1/health`. A type of your own belongs on a bus of your own.',
  'payload.unvalidated':
    'Nothing has to be done. Check the payload yourself: consumers get it as you sent it.',
  'producer.unauthenticated':
    'Get a new token and send the same bytes again, once. If it is refused again, compare the address with the environment the secret was issued for, and ask the owner whether the secret was rotated.',
  'producer.not_registered':
    'Ask the owner of the workspace whether the connection was revoked or paused, and whether it is a producer or a consumer: only the one publishes, only the other pulls. A role must be registered and verified.',
  'tenant.mismatch':
    "Put the workspace into the address that the connection belongs to: it is the token's `tenant` claim.",
  'request.blocked':
    'Look for what resembles an attack in the path, the query or the headers; the text of a message is not judged. If nothing does, give the operator the `x-request-id` and the time.',
  'producer.system_id_not_allowed':
    'Compare `originating_system.system_id` with the ones the connection has (`sombus connection show`). To send for another system, ask the operator to add it (`sombus connection permit`), or use its own connection.',
  'producer.message_type_not_allowed':
    'Ask the owner of the workspace for a grant that covers the type: the type itself, `family.*` or `*`. The operator gives it with `sombus connection permit`.',
  'message_id.reused':
    'If this is a retry, send the very bytes of the first attempt. If it is another message, give it a new `message_id`; look at whether the producer takes ids from a counter that starts anew.',
  'commit.contention':
    'Take the story as it is now from the system that owns it (the bus has no route that reads it back), build a new snapshot with a new `message_id`, and publish that. If it happens often, let one writer at a time publish a story.',
  'sequence_number.not_increasing':
    'Take the story as it is now from the system that owns it (the bus has no route that reads it back), give it a `sequence_number` above the last accepted one, which the `message` names, and publish it under a new `message_id`. Two writers that count apart need a common counter.',
  'sequence_number.gap':
    'Nothing has to be done. If the gap is unexpected, look for snapshots that were refused or never sent.',
  'updated_at.backwards':
    'Set `updated_at` to the time of this change; an equal time is fine. If it was right, compare the clocks of the systems that write the story.',
  'snapshot.members_missing':
    'Say everything again that the last snapshot said, as it is now: a snapshot is the whole story, not what changed. Only `lifecycle` goes, when the story leaves ACTIVE.',
  'snapshot.assets_dropped':
    'Name every asset of the last snapshot again, with its current state; an asset never leaves a story.',
  'asset.type_changed':
    'Keep the `asset_type` that the asset was first published with. If it is another thing, give it an `asset_id` of its own.',
  'story_type.left_terminal':
    'Start a new story with a new `story_id`. A story that ended may only move among KILLED, SPIKED and ARCHIVED.',
  'message.too_large':
    'Put media and long texts where they belong, in a store, and send a reference. On a publish route the whole body counts, spaces included.',
  'message.unsupported_media_type': 'Send `Content-Type: application/json`.',
  'rate.limited':
    'Wait as many seconds as `Retry-After` says, then send the same bytes. On the token URL: keep a token for its whole hour instead of asking for each request. What the limits are is in the contract.',
  'quota.exceeded':
    'Stop until `Retry-After` is over or until 00:00 UTC, and tell a person: a retry now cannot succeed. If the day regularly is too short, ask the operator for another tier.',
  'bus.publish_failed':
    'Send the same bytes with the same `message_id` again, with growing pauses, until the answer is 200 or 202. What was accepted is delivered in any case; a new `message_id` would make a second message.',
  'registry.unavailable':
    'Send the same bytes again with growing pauses. If it lasts longer than some minutes, give the operator the `x-request-id`.',
  'pull.invalid_parameter':
    'Keep `max`, `wait` and `visibility` within their ranges, as whole numbers, each at most once, and leave out all others.',
  'pull.invalid_body': `Send \`{"receipt_handles": […]}\` with ${limits.receiptHandles.min} to ${limits.receiptHandles.max} handles as they were received, and \`delay_seconds\` with nack only.`,
  'receipt.expired':
    'Nothing has to be done: the message is acknowledged already or will come again. If it happens often, pull with a longer `visibility` or fewer messages.',
  'order.blocked':
    'Nothing has to be done: the message comes again after the earlier one. Do not count it as handled twice: it has the same `message_id`.',
  'route.not_found': 'Compare the address with the route table; the base address ends in `/v1`.',
  'route.method_not_allowed': 'Use one of the methods that `Allow` names.',
  'principal.challenge_invalid': `Register the role again for a new challenge and prove it within ${limits.challengeSeconds / 60} minutes, once, signed by the very role whose ARN was registered, path included.`,
};

/** The same for the failures of a JSON Schema. */
export const schemaFailureAdvice = `Change the place at \`path\` as the \`message\` says; all failures are reported together, at most ${limits.violationsReported}. Try it with the dry run until nothing is left.`;
