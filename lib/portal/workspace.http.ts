import { lifeRecord } from '../activity/message.http.ts';
import type { MessageLife } from '../activity/message-life.ts';
import { fitting, partOf } from '../contract/outside.ts';
import type { LeftOut } from '../contract/overview-responses.ts';
import type { Entry } from '../delivery/log.ts';
import type { JsonObject } from '../json/value.ts';
import type { Connection } from '../registry/connection.ts';
import { type GuestTerms, inviteVendor } from '../registry/invitations.ts';
import { noteChange } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import { isSubscribed } from '../registry/permissions.ts';
import { factsOf } from '../stories/sequence-rules.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { type FeedFilter, type Line, readFeed } from './feed.ts';
import { invitationRecord, invitedBy } from './invitation.http.ts';
import { badPosition, isPosition, nextOf, partIn } from './lists.http.ts';
import { outcomesOf, withinMinutes } from './outcomes.ts';
import { findCall, overviewCall, volumeCall } from './overview.http.ts';
import type { PortalPorts } from './ports.ts';
import { appNames, hostOf, mayReplay, onlyOf, seenLife, standingAt, visibleConnections } from './standing.ts';
import { correlationMeant, readStories, readStory } from './story.ts';

const show: CallHandler<'workspace.show'> = async (ports, call) => {
  const found = await ports.directory.find('workspace', call.subject['w'] ?? '');
  if (found?.kind !== 'workspace') return portalRefusal('portal.not_found');
  const visible = call.standing.operator
    ? await ports.connections.ofWorkspace(found.id)
    : await visibleConnections(ports, found.id, call);
  const { entries: connections, ...more } = partOf(visible, partIn(call), ({ id }) => id);
  const apps = await appNames(ports, connections);
  return portalResponse({
    id: found.id,
    name: found.name,
    status: found.status,
    organisation_id: found.organisation,
    connections: connections.map(({ id, app, kind, status, isSuspended, organisation }) => ({
      connection_id: id,
      app_name: apps.get(app) ?? app,
      kind,
      status: isSuspended ? 'suspended' : status,
      organisation_id: organisation,
    })),
    ...more,
  });
};

const lineRecord = ({ position, at, kind, connection, messages, rules, reason, count, change }: Line) => ({
  position,
  at: new Date(at).toISOString(),
  kind,
  ...(connection === undefined ? {} : { connection_id: connection }),
  ...(change ? { what: change.what, ...(change.by === '' ? {} : { by: change.by }) } : {}),
  messages: messages.map(({ messageId, messageType, correlationId }) => ({
    ...(messageId === undefined ? {} : { message_id: messageId }),
    ...(messageType === undefined ? {} : { message_type: messageType }),
    ...(correlationId === undefined ? {} : { correlation_id: correlationId }),
  })),
  ...(rules.length > 0 ? { rules } : {}),
  ...(reason === undefined ? {} : { reason }),
  ...(count > 1 ? { count } : {}),
});

const filterNames = ['connection', 'kind', 'type', 'correlation', 'rule'] as const;

const filterOf = (query: Readonly<Record<string, string>>): Omit<FeedFilter, 'organisations'> => ({
  ...Object.fromEntries(filterNames.flatMap(name => (query[name] ? [[name, query[name]]] : []))),
  ...(query['runs'] === 'without' ? { runs: 'without' } : {}),
  ...(query['view'] === 'messages' ? { view: 'messages' } : {}),
});

/** The organisations whose changes the caller sees: the house's for its members, a vendor's for those of the vendor. */
const changersOf = async (
  ports: PortalPorts,
  { person, standing, subject: { w = '' } }: Call,
): Promise<readonly string[]> => {
  if (standing.own !== undefined) return [(await hostOf(ports, w)) ?? ''];
  const [vendors, { roles }] = await Promise.all([
    ports.members.vendorsOf(w),
    person ? ports.members.affiliationOf(person) : { roles: [] },
  ]);
  return roles.map(({ organisation }) => organisation).filter(one => vendors.includes(one));
};

const activity: CallHandler<'workspace.activity'> = async (ports, call) => {
  const { before, after } = call.request.query;
  if (!isPosition(before) || !isPosition(after)) return portalRefusal('request.invalid', badPosition);
  const [only, organisations] = await Promise.all([onlyOf(ports, call), changersOf(ports, call)]);
  const { w = '' } = call.subject;
  const { correlation: story, ...filter } = filterOf(call.request.query);
  const correlation = story === undefined ? undefined : await correlationMeant(ports, w, story);
  // A story that is not known has nothing.
  if (story !== undefined && correlation === undefined) return portalResponse({ activity: [] });
  const page = await readFeed(ports, w, {
    before,
    after,
    filter: {
      ...filter,
      ...(correlation === undefined ? {} : { correlation }),
      organisations,
      ...(only ? { only } : {}),
    },
  });
  const lines = filter.view === undefined ? page.lines : withinMinutes(page.lines);
  const outcomes = filter.view === undefined ? undefined : await outcomesOf(ports, w, lines);
  const next = lines.length < page.lines.length ? lines.at(-1)?.position : page.next;
  const { entries, ...more } = fitting(
    {
      entries: lines.map(line => {
        const outcome = outcomes?.get(line.position);
        return { ...lineRecord(line), ...(outcome ? { outcome } : {}) };
      }),
      ...nextOf(next === undefined ? {} : { next }),
    },
    ({ position }) => position,
  );
  return portalResponse({ activity: entries, ...more });
};

const whyNot = (consumer: Connection, entry: Entry): LeftOut['why'] => {
  if (entry.isOfRun) return 'test_run';
  if (!isSubscribed({ ...consumer, sources: [] }, entry)) return 'not_subscribed';
  if (!isSubscribed(consumer, entry)) return 'source_excluded';
  if (Date.parse(consumer.createdAt) > entry.acceptedAt) return 'created_later';
  if (consumer.isSuspended) return 'suspended';
  return consumer.status === 'paused' ? 'paused' : 'changed_since';
};

export const leftOut = (
  { accepted, consumers }: MessageLife,
  connections: readonly Connection[],
): readonly LeftOut[] => {
  if (!accepted) return [];
  const got = new Set(consumers.map(({ connection }) => connection));
  return connections
    .filter(({ id, kind, status }) => kind === 'consumer' && status !== 'revoked' && !got.has(id))
    .map(consumer => ({ connection_id: consumer.id, why: whyNot(consumer, accepted) }));
};

const message: CallHandler<'workspace.message'> = async (ports, call) => {
  const life = await seenLife(ports, call);
  if (!life) return portalRefusal('portal.not_found');
  const connections = await visibleConnections(ports, call.subject['w'] ?? '', call);
  return portalResponse({
    ...lifeRecord(life),
    may_replay: mayReplay(call.standing),
    left_out: leftOut(life, connections),
  });
};

/** The number that the next snapshot of the story of a message needs. */
const nextNumber = async ({ ledger }: PortalPorts, entry: Entry) => {
  const { story_id: storyId = '', sequence_number: own } = factsOf(entry.messageType, entry.body);
  if (own === undefined) return {};
  const { story } = await ledger.read({ ...entry, storyId });
  return story ? { next_sequence_number: `${story.state.sequenceNumber + 1n}` } : {};
};

const content: CallHandler<'workspace.content'> = async (ports, call) => {
  const accepted = (await seenLife(ports, call))?.accepted;
  if (!accepted) return portalRefusal('portal.not_found');
  const content = Buffer.from(accepted.body).toString('base64');
  return portalResponse({ content, ...(await nextNumber(ports, accepted)) });
};

/** Messages of a story before the one that a page is to show. */
const neighboursBefore = 25;

/** The number after which a page of a story begins; undefined if the call says none that it could be. */
const startOf = async (ports: PortalPorts, call: Call): Promise<number | undefined> => {
  const { after = '0', around } = call.request.query;
  if (around === undefined) return /^(0|[1-9]\d{0,8})$/.test(after) ? Number(after) : undefined;
  const found = await ports.acceptances.find(call.subject['w'] ?? '', around);
  return found && Math.max(0, found.entry.number - 1 - neighboursBefore);
};

const story: CallHandler<'workspace.story'> = async (ports, call) => {
  const { w = '' } = call.subject;
  const { correlation = '' } = call.request.query;
  const [after, only] = await Promise.all([startOf(ports, call), onlyOf(ports, call)]);
  if (correlation === '' || after === undefined) return portalRefusal('request.invalid');
  const found = await readStory(ports, { workspace: w, correlationId: correlation }, { after, only });
  const isHidden = !found || (only !== undefined && found.messages.length === 0 && found.next === undefined);
  return isHidden ? portalRefusal('portal.not_found') : portalResponse(found);
};

const stories: CallHandler<'workspace.stories'> = async (ports, call) => {
  const { before, find = '' } = call.request.query;
  if (!isPosition(before)) return portalRefusal('request.invalid', badPosition);
  const wanted = { before, find: find.trim(), only: await onlyOf(ports, call) };
  return portalResponse(await readStories(ports, call.subject['w'] ?? '', wanted));
};

const textsOf = (body: JsonObject, name: string): readonly string[] => {
  const value = body[name];
  return Array.isArray(value) && value.length <= 50 && value.every(text => typeof text === 'string')
    ? value
    : [];
};

const termsOf = (body: JsonObject): GuestTerms => {
  const asked = textsOf(body, 'kinds');
  return {
    kinds: (['producer', 'consumer'] as const).filter(kind => asked.includes(kind)),
    grants: textsOf(body, 'grants'),
    receives: textsOf(body, 'receives'),
  };
};

const invite: CallHandler<'workspace.inviteVendor'> = async (
  ports,
  { person, subject: { w = '' }, body },
) => {
  const wanted = { workspace: w, terms: termsOf(body), ...invitedBy(body) };
  const invitation = await inviteVendor(ports, wanted, person);
  if (isDeclined(invitation)) return declinedReply(invitation);
  const organisation = (await hostOf(ports, w)) ?? '';
  const change = { organisation, what: 'vendor.invite', facts: { workspace: w } };
  const noted = await noteChange(ports, person, change);
  return portalResponse({ ...invitationRecord(ports, invitation), ...noted });
};

export const workspaceCalls: CallService<'workspace'> = {
  standingOf: standingAt,
  handlers: {
    'workspace.show': show,
    'workspace.activity': activity,
    'workspace.message': message,
    'workspace.content': content,
    'workspace.story': story,
    'workspace.stories': stories,
    'workspace.search': findCall,
    'workspace.overview': overviewCall,
    'workspace.volume': volumeCall,
    'workspace.inviteVendor': invite,
  },
};
