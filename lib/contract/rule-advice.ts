import { limits } from './limits.ts';
import type { RuleId } from './rules.ts';

export const ruleAdvice: Readonly<Record<RuleId, string>> = {
  'message.not_json':
    'Send exactly one JSON object, encoded as UTF-8 without a byte order mark. Send nothing before or after it.',
  'message.duplicate_member':
    'Remove one of the two members from the object at `path`. JSON libraries rarely write a name twice, so look for JSON that is assembled by hand.',
  'message.invalid_character':
    'Remove the character at `path`, or replace it with U+FFFD. A lone surrogate usually means that a string was cut in the middle of an emoji.',
  'message.too_deep':
    'Flatten the deeply nested part, usually vendor data in an extension. The SOM members themselves never come near the limit.',
  'som_version.pre_1_0':
    'Migrate the producer to SOM 1.0. Changing `som_version` alone is not enough, because the structure of the messages changed too.',
  'som_version.unsupported_major': 'Send `som_version` 1.x. The bus has no schemas for later major versions.',
  'payload.message_type_mismatch':
    'Use the same `message_type` in the envelope and in the payload. Where it is optional in the payload, you may leave it out there.',
  'message_type.unknown':
    'Check the spelling of `message_type`, and compare it with `message_types` in `GET /v1/health`. To use your own message types, run your own bus.',
  'payload.unvalidated':
    'No action is needed. Validate the payload yourself: consumers receive it exactly as you sent it.',
  'producer.unauthenticated':
    'Get a new token and send the same bytes once more; if that is refused too, check that the secret belongs to this environment and was not rotated. The key set of your own identity provider must be at a public https address and respond with 200 within two seconds.',
  'producer.not_registered':
    'Ask the owner of the workspace whether the connection is paused or revoked, and which kind it is: producers publish, consumers pull. A cloud role must also be registered and verified.',
  'tenant.mismatch': "Use your connection's workspace in the URL. It is the `tenant` claim of your token.",
  'request.blocked':
    'Look for anything that resembles an attack in the path, the query or the headers; message text is never the cause. If you find nothing, give the operator the `x-request-id` and the time.',
  'producer.system_id_not_allowed':
    "Compare `originating_system.system_id` with those of the connection (`sombus connection show`). Publish through the other system's own connection, or ask the operator to add the system to yours (`sombus connection permit`).",
  'producer.message_type_not_allowed':
    'Ask the owner of the workspace for a grant that covers the type: the type itself, `family.*` or `*`. The operator adds it with `sombus connection permit`.',
  'correlation_id.reserved':
    'Send a random `correlation_id`, such as a UUID of version 4 or 7. UUIDs that begin with `736f6d63-686b-8` are kept for the messages of test runs.',
  'message_id.reused':
    'For a retry, send the exact bytes of the first attempt. For a new message, use a new `message_id`, and check that your ids do not come from a counter that restarts.',
  'commit.contention':
    'Read the current story from the system that owns it (the bus cannot return it), and publish a new snapshot with a new `message_id`. If this happens often, let only one writer at a time publish the story.',
  'sequence_number.not_increasing':
    'Read the current story from the system that owns it (the bus cannot return it), and publish it with a new `message_id` and a `sequence_number` greater than the one in `message`. If two writers publish the story, they must share one counter.',
  'sequence_number.gap':
    'No action is needed. If you did not expect the gap, look for snapshots that were refused or never sent.',
  'updated_at.backwards':
    'Set `updated_at` to the time of this change; the same time as before is allowed. If it was already right, compare the clocks of the systems that write the story.',
  'snapshot.members_missing':
    'Send the whole story each time, not only the changes: repeat every top-level member with its current value. Only `lifecycle` may be dropped, when the story leaves ACTIVE.',
  'snapshot.assets_dropped':
    'List every asset of the last snapshot again, with its current state. Assets are never removed from a story.',
  'asset.type_changed':
    'Keep the `asset_type` that the asset was first published with. If this is a different asset, give it its own `asset_id`.',
  'story_type.left_terminal':
    'Start a new story with a new `story_id`. A story that has ended can only move between KILLED, SPIKED and ARCHIVED.',
  'message.too_large':
    'Keep media and long texts in a store, and send a reference. On a publish route the whole body counts, whitespace included.',
  'message.unsupported_media_type':
    'Send `Content-Type: application/json`, and the body uncompressed, without `Content-Encoding`.',
  'rate.limited':
    'Wait as many seconds as `Retry-After` says, then send the same bytes; the contract lists all limits. Reuse each token for its whole hour instead of requesting one for each call.',
  'quota.exceeded':
    'Stop until `Retry-After` has passed or until 00:00 UTC, and alert a person: no retry can succeed before then. If you often reach the quota, ask the operator for another tier.',
  'bus.publish_failed':
    'Resend the same bytes with the same `message_id`, with backoff, until the response is 200 or 202. An accepted message is delivered in any case, so a new `message_id` would create a second message.',
  'registry.unavailable':
    'Resend the same bytes, with backoff. If the problem lasts more than a few minutes, give the operator the `x-request-id`.',
  'pull.invalid_parameter':
    'Send `max`, `wait` and `visibility` as whole numbers within their ranges, each at most once. Leave out all other parameters.',
  'pull.invalid_body': `Send \`{"receipt_handles": […]}\` with ${limits.receiptHandles.min} to ${limits.receiptHandles.max} handles, exactly as you received them. Only nack takes \`delay_seconds\`.`,
  'receipt.expired':
    'No action is needed: the call changed nothing, and a message that is not acknowledged will be delivered again. If this happens often, pull with a longer `visibility` or fewer messages.',
  'order.blocked':
    'No action is needed: the message will be delivered again after the earlier one. It keeps its `message_id`, so you can tell whether you have already handled it.',
  'message_id.unknown':
    'Compare the `message_id` with the one that was published, in the same workspace. A message can be looked up as long as the archive keeps it, and a refused one only if its `message_id` could be read.',
  'check.invalid':
    'Send a JSON object with `kind` (`producer`, `consumer` or `executor`) and the documented members. A run of the kind `executor` is started by its consumer, and names the `producer`.',
  'check.declined':
    'Do what `message` says: resume a connection, add what it receives or may send, correct the name of a case, or wait for the end of the run that goes on. Then start the run again.',
  'limit.reached':
    'End one of the things that `message` names, or ask the operator for a higher limit (`sombus quota raise`). The contract lists all limits.',
  'check.unknown':
    'Compare the id with the response that started the run, or with the list of runs. Only the connections that a run is about can see it, for 90 days.',
  'route.not_found': 'Compare the URL with the route table. The base URL ends in `/v1`.',
  'route.method_not_allowed': 'Use one of the methods in the `Allow` header.',
  'principal.challenge_invalid': `Register the role again for a new challenge, and send it within ${limits.challengeSeconds / 60} minutes, signed by the role with exactly the registered ARN, path included. If AWS does not know a new role yet, send the same challenge again after a pause.`,
};

export const schemaFailureAdvice = `Fix the value at \`path\` as the \`message\` describes. One response reports up to ${limits.violationsReported} failures: repeat the dry run until there are none.`;
