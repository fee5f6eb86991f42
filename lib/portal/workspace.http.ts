import { type GuestTerms, inviteVendor } from '../access/people/invitations.ts';
import { notActive } from '../access/people/organisations.ts';
import { shownStatus } from '../access/registry/connection.ts';
import { isDeclined } from '../access/registry/declined.ts';
import { lifeRecord } from '../bus/activity/message.http.ts';
import type { MessageLife } from '../bus/activity/message-life.ts';
import type { Entry } from '../bus/delivery/log.ts';
import { type LastSnapshot, startStoryOver } from '../bus/delivery/start-over.ts';
import { readsSnapshot } from '../bus/publishing/verdict.ts';
import { canonicalUuid } from '../contract/identifiers.ts';
import { defined, fitting, iso, partOf } from '../contract/outside.ts';
import { type SearchMatch, volumeRanges } from '../contract/portal/overview-responses.ts';
import { includesRole } from '../contract/portal/portal.ts';
import { shorten, textOf } from '../platform/json/value.ts';
import { factsOf } from '../som/messages/read-message.ts';
import { invalidRequest } from './browser.http.ts';
import { type Call, type CallHandlers, listIn, note, partIn } from './calls.http.ts';
import { namesIn } from './change-words.ts';
import { type FeedFilter, lineRecord, readFeed } from './feed.ts';
import { readLeftOut } from './left-out.ts';
import { invitedBy, invitedRecord } from './organisation.http.ts';
import { outcomesOf, withinMinutes } from './outcomes.ts';
import { readOverview, readVolume } from './overview.ts';
import type { PortalPorts } from './ports.ts';
import { lifeFound, search } from './search.ts';
import { appNames, lifeSeen, mayReplay, onlyOf, visibleConnections } from './standing.ts';
import { correlationMeant, isAnyTold, isTold, readStories, readStory, storyTold } from './story.ts';

/** Of a search; longer ones mean no story. */
const maxSought = 200;

const offsetForm = /^\d{1,4}$/;

const filterNames = ['connection', 'kind', 'type', 'correlation', 'rule'] as const;

/** Whose records of changes somebody sees: the house's, or those of the vendors that one is of. */
const recordsSeenBy = ({ standing, host, roles, vendors }: Call): readonly string[] =>
  standing.own === undefined
    ? roles.map(({ organisation }) => organisation).filter(one => vendors.includes(one))
    : [host];

/** As whom the caller reads the workspace. Undefined: the house. */
const readersOf = async (ports: PortalPorts, call: Call) =>
  call.standing.own === undefined ? await visibleConnections(ports, call) : undefined;

/**
 * What a person wants to see of the feed, and may: the house its own changes, a vendor those of the
 * vendor. Undefined: it asks for a story that the reader does not know.
 */
const filterOf = async (ports: PortalPorts, call: Call): Promise<FeedFilter | undefined> => {
  const { query } = call;
  const only = await onlyOf(ports, call);
  const filter: FeedFilter = {
    ...Object.fromEntries(filterNames.flatMap(name => (query[name] ? [[name, query[name]]] : []))),
    ...(query['runs'] === 'without' && { runs: 'without' }),
    ...(query['view'] === 'messages' && { view: 'messages' }),
    ...(only && { only }),
    organisations: recordsSeenBy(call),
  };
  if (filter.correlation === undefined) return filter;

  const reading = { workspace: call.subject.w, readers: await readersOf(ports, call) };
  const correlation = await correlationMeant(ports, reading, filter.correlation);
  return correlation === undefined ? undefined : { ...filter, correlation };
};

/**
 * The number that the next snapshot of the story of a message needs, for those who may read the
 * last one.
 */
const nextNumber = async (ports: PortalPorts, call: Call, entry: Entry) => {
  const { story_id: storyId = '', sequence_number: own } = factsOf(entry.messageType, entry.body);
  if (own === undefined) return {};
  const { story } = await ports.ledger.read({ ...entry, storyId });
  if (!story?.state) return {};
  const readers = await readersOf(ports, call);
  const isRead = readers === undefined || readers.some(one => readsSnapshot(story, one));
  return isRead ? { next_sequence_number: `${story.state.sequenceNumber + 1n}` } : {};
};

const snapshotRecord = ({ version, sequenceNumber, updatedAt }: LastSnapshot) => ({
  version,
  sequence_number: sequenceNumber,
  updated_at: updatedAt,
});

const seenVersionIn = ({ body: { seen_snapshot: version } }: Call): number | undefined =>
  typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;

/** Messages of a story before the one that a page is to show. */
const neighboursBefore = 25;

/**
 * The number after which a page of a story begins; undefined if the call says none that it could
 * be. A message that the reader may not see is none, as one that does not exist.
 */
const startOf = async (
  ports: PortalPorts,
  { query, subject: { w } }: Call,
  only: ReadonlySet<string> | undefined,
): Promise<number | undefined> => {
  const { after = '0', around, correlation = '' } = query;
  if (around === undefined) return Number(after);
  const entry = (await ports.acceptances.find(w, canonicalUuid(around)))?.entry;
  if (!entry || entry.correlationId !== canonicalUuid(correlation) || !isTold(only, entry))
    return undefined;
  return Math.max(0, entry.number - 1 - neighboursBefore);
};

const minute = 60_000;

/**
 * How far back a page with a next one searched, to the minute: the exact time may be that of a line
 * that is not shown. Never later than a line that is.
 */
const searchedTo = (
  next: string | undefined,
  oldest: string | undefined,
): { readonly searched_to?: string } => {
  if (next === undefined) return {};
  const rounded = iso(Math.ceil(Date.parse(next.slice(0, 24)) / minute) * minute);
  return { searched_to: oldest !== undefined && oldest < rounded ? oldest : rounded };
};

/** Undefined if a list of the body is none, or too long. */
const termsIn = ({ body }: Call): GuestTerms | undefined => {
  const names = ['kinds', 'grants', 'receives'];
  const [kinds = [], grants = [], receives = []] = names.map(name => listIn(body, name));
  if (kinds === 'wrong' || grants === 'wrong' || receives === 'wrong') return undefined;
  return {
    kinds: (['producer', 'consumer'] as const).filter(kind => kinds.includes(kind)),
    grants,
    receives,
  };
};

/** What the last refusal of a message that was never accepted knows of it. */
const refusedNames = ({ refusals }: MessageLife) => {
  const last = refusals.at(-1);
  return defined({
    message_type: last?.message.messageType,
    correlation_id: last?.message.correlationId,
    producer_id: last?.connection,
  });
};

export const workspaceCalls: CallHandlers<'workspace'> = {
  'workspace.show': async (ports, call) => {
    const { w } = call.subject;
    const found = await ports.directory.find('workspace', w);
    if (found?.kind !== 'workspace') return undefined;
    const visible = call.standing.operator
      ? await ports.connections.ofWorkspace(w)
      : await visibleConnections(ports, call);
    const { entries: connections, ...more } = partOf(visible, partIn(call), ({ id }) => id);
    const apps = await appNames(ports, connections);
    return {
      id: found.id,
      name: found.name,
      status: found.status,
      organisation_id: found.organisation,
      connections: connections.map(connection => ({
        connection_id: connection.id,
        app_name: apps.get(connection.app) ?? connection.app,
        kind: connection.kind,
        status: shownStatus(connection),
        organisation_id: connection.organisation,
      })),
      ...more,
    };
  },

  'workspace.activity': async (ports, call) => {
    const { before, after } = call.query;
    const { w } = call.subject;
    const filter = await filterOf(ports, call);
    if (!filter) return { activity: [] };

    const page = await readFeed(ports, w, { before, after, filter });
    const lines = filter.view ? withinMinutes(page.lines) : page.lines;
    const outcomes = filter.view ? await outcomesOf(ports, w, lines) : undefined;
    const isCut = lines.length < page.lines.length;
    const next = isCut ? lines.at(-1)?.position : page.next;

    const changes = lines.flatMap(({ change }) => change ?? []);
    const names = await namesIn(ports, call.host, changes);
    const records = lines.map(line => {
      const outcome = outcomes?.get(line.position);
      return { ...lineRecord(line, names), ...(outcome && { outcome }) };
    });

    const whole = { entries: records, ...defined({ next }) };
    const { entries, ...more } = fitting(whole, ({ position }) => position);
    const activity = entries.map(one => ({ ...one, position: call.seal(one.position) }));
    return { activity, ...searchedTo(more.next, activity.at(-1)?.at), ...more };
  },

  'workspace.message': async (ports, call) => {
    const life = await lifeSeen(ports, call.subject, await onlyOf(ports, call));
    if (!life) return undefined;
    const connections = await visibleConnections(ports, call);
    const { accepted } = life;
    const asked = { connections, organisations: recordsSeenBy(call) };
    return {
      ...lifeRecord(life),
      ...(accepted ? { facts: factsOf(accepted.messageType, accepted.body) } : refusedNames(life)),
      may_replay: mayReplay(call),
      left_out: await readLeftOut(ports, life, asked),
    };
  },

  'workspace.content': async (ports, call) => {
    const accepted = (await lifeSeen(ports, call.subject, await onlyOf(ports, call)))?.accepted;
    if (!accepted) return undefined;
    const content = Buffer.from(accepted.body).toString('base64');
    return { content, ...(await nextNumber(ports, call, accepted)) };
  },

  'workspace.story': async (ports, call) => {
    const correlationId = canonicalUuid(call.query['correlation'] ?? '');
    const only = await onlyOf(ports, call);
    const after = await startOf(ports, call, only);
    if (correlationId === '' || after === undefined) return invalidRequest;

    const story = { workspace: call.subject.w, correlationId };
    const found = await readStory(ports, story, { after, only });
    if (!found) return undefined;
    const isEmpty = only !== undefined && found.messages.length === 0;
    if (isEmpty && !(await isAnyTold(ports, story, only))) return undefined;

    const { lastSnapshot, record } = await storyTold(ports, call.subject.w, found.messages);
    const { messages, next } = found;
    const more = next === undefined ? {} : { next: `${next}` };
    const page = { messages, ...more, ...record };

    const mayStartOver = lastSnapshot !== undefined && includesRole(call.standing.own, 'editor');
    if (!mayStartOver) return { ...page, may_start_over: false };
    return { ...page, may_start_over: true, last_snapshot: snapshotRecord(lastSnapshot) };
  },

  /**
   * What the bus remembers of a story is lost: its id is said twice, with the version of what the
   * person has seen.
   */
  'workspace.startStoryOver': async (ports, call) => {
    const [storyId, confirm] = [textOf(call.body, 'story'), textOf(call.body, 'confirm')];
    const version = seenVersionIn(call);
    if (storyId === '' || confirm !== storyId || version === undefined) return invalidRequest;
    const inactive = await notActive(ports, call.host);
    if (inactive) return inactive;

    const of = { workspace: call.subject.w, storyId, version };
    const startedOverAt = await startStoryOver(ports, of);
    if (isDeclined(startedOverAt)) return startedOverAt;
    const noted = await note(ports, call, {
      what: 'story.reset',
      facts: { story: shorten(storyId) },
    });
    return { started_over_at: iso(startedOverAt), ...noted };
  },

  'workspace.stories': async (ports, call) => {
    const { before, find = '' } = call.query;
    const wanted = { before, find: find.trim(), readers: await readersOf(ports, call) };
    return readStories(ports, call.subject.w, wanted);
  },

  'workspace.search': async (ports, call) => {
    const { q = '', after } = call.query;
    const text = q.trim();
    if (text === '' || text.length > maxSought) return invalidRequest;

    const { w } = call.subject;
    const connections = await visibleConnections(ports, call);
    const only =
      call.standing.own === undefined ? new Set(connections.map(({ id }) => id)) : undefined;
    const sought = { text, after, connections, appNames: await appNames(ports, connections), only };
    const [life, response] = await Promise.all([
      after === undefined ? lifeSeen(ports, { w, m: text }, only) : undefined,
      search(ports, w, sought),
    ]);

    // A message by its whole id, refused ones included.
    const whole = life ? [lifeFound(life)] : [];
    const isOther = (one: SearchMatch) =>
      one.kind !== 'message' || one.message_id !== canonicalUuid(text);
    return { ...response, found: [...whole, ...response.found.filter(isOther)] };
  },

  'workspace.overview': async (ports, call) => {
    const {
      find = '',
      consumers_after: consumersAfter = '0',
      producers_after: producersAfter = '0',
      consumers_sort: consumersSort = '',
      producers_sort: producersSort = '',
    } = call.query;
    if (![consumersAfter, producersAfter].every(one => offsetForm.test(one))) return invalidRequest;

    const connections = await visibleConnections(ports, call);
    const wanted = {
      connections,
      appNames: await appNames(ports, connections),
      find: find.trim(),
      consumersAfter: Number(consumersAfter),
      producersAfter: Number(producersAfter),
      consumersSort,
      producersSort,
    };
    const found = await readOverview(ports, call.subject.w, wanted);
    return found ?? invalidRequest;
  },

  'workspace.volume': async (ports, call) => {
    const { range: asked = 'hour', connection } = call.query;
    const range = volumeRanges.find(one => one === asked);
    if (range === undefined) return invalidRequest;

    const seen = await onlyOf(ports, call);
    if (connection === undefined) return readVolume(ports, call.subject.w, { range, only: seen });
    const isSeen = seen === undefined || seen.has(connection);
    const only = new Set(isSeen ? [connection] : []);
    return readVolume(ports, call.subject.w, { range, only });
  },

  'workspace.inviteVendor': async (ports, call) => {
    const terms = termsIn(call);
    if (!terms) return invalidRequest;
    const wanted = { workspace: call.subject.w, terms, ...invitedBy(call.body) };
    const invitation = await inviteVendor(ports, wanted, call.person);
    if (isDeclined(invitation)) return invitation;
    const noted = await note(ports, call, { what: 'vendor.invite' });
    const made = { ...wanted, organisation: call.host, invitation };
    return { ...(await invitedRecord(ports, call, made)), ...noted };
  },
};
