import type { Connection } from '../access/registry/connection.ts';
import type { MessageLife } from '../bus/activity/message-life.ts';
import type { StoryTitle } from '../bus/activity/records.ts';
import type { ArchiveSummary } from '../bus/replay/replay.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import { defined, folded, iso, partOf } from '../contract/outside.ts';
import type { SearchMatch, SearchResponse } from '../contract/portal/overview-responses.ts';
import { rules } from '../contract/rules.ts';
import type { PortalPorts } from './ports.ts';

type SearchPorts = Pick<PortalPorts, 'clock' | 'history' | 'archiveTail'>;

export interface SearchRequest {
  readonly text: string;
  /** What the part before this one answered as `next`. */
  readonly after: string | undefined;
  readonly connections: readonly Connection[];
  readonly appNames: ReadonlyMap<string, string>;
  /** Whose messages may be seen. Absent: everybody's, and the titles of all stories. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** How far a list was searched: not yet, and to its end. */
const begin = '-';
const done = '.';

/** How far the stories, the messages and the connections were searched. */
const nextForm = /^([\w-]+|\.)!([\w:#~.-]+)!([\w.-]+)$/;

const titlePages = 8;

const hasWords = (text: string, words: readonly string[]): boolean => {
  const searched = folded(text);
  return words.every(word => searched.includes(word));
};

const storyFound = ({
  storyId,
  correlationId,
  headline,
  slug,
  at,
}: StoryTitle & { at: number }): SearchMatch => ({
  kind: 'story',
  story_id: storyId,
  correlation_id: correlationId,
  last_accepted_at: iso(at),
  ...defined({ headline, slug }),
});

type Acceptance = Pick<
  ArchiveSummary,
  'messageId' | 'messageType' | 'correlationId' | 'acceptedAt'
>;

const messageFound = ({
  messageId,
  messageType,
  correlationId,
  acceptedAt,
}: Acceptance): SearchMatch => ({
  kind: 'message',
  message_id: messageId,
  message_type: messageType,
  correlation_id: correlationId,
  accepted_at: iso(acceptedAt),
});

interface Part {
  readonly found: readonly SearchMatch[];
  readonly reached?: string;
}

/** Stories by words of their last headline or slug, or by a part of their id. */
const stories = async (
  { history }: SearchPorts,
  workspace: string,
  { words, from }: { words: readonly string[]; from: string },
): Promise<Part> => {
  const found: (StoryTitle & { readonly at: number })[] = [];
  let after = from === begin ? undefined : from;
  for (let pages = 0; pages < titlePages && found.length < limits.portalPage; pages += 1) {
    const { titles, next } = await history.titles(workspace, after);
    found.push(
      ...titles.filter(({ storyId, headline = '', slug = '' }) =>
        hasWords(`${headline} ${slug} ${storyId}`, words),
      ),
    );
    after = next;
    if (after === undefined) break;
  }
  const newest = found.sort((a, b) => b.at - a.at);
  return { found: newest.map(storyFound), ...defined({ reached: after }) };
};

/** A part of an id: shorter ones are in too many. */
const idPart = /^[\da-f][\da-f-]{3,35}$/;
/** A page of quiet days takes six reads. */
const messagePages = 3;
const messagesPerPage = 100;

/** Messages by the beginning of their message_id or correlation_id, the newest first. */
const messages = async (
  { clock, archiveTail }: SearchPorts,
  workspace: string,
  { part, from, only }: { part: string; from: string; only: SearchRequest['only'] },
): Promise<Part> => {
  const now = clock.now();
  const range = { workspace, from: now - limits.feedDays * dayMilliseconds, to: now + 1 };
  const found: SearchMatch[] = [];
  let before = from === begin ? undefined : from;
  for (let pages = 0; pages < messagePages && found.length < limits.portalPage; pages += 1) {
    const { summaries, next } = await archiveTail.latest(
      before === undefined ? range : { ...range, before },
      messagesPerPage,
    );
    const fits = summaries.filter(
      ({ messageId, correlationId, producer }) =>
        (only === undefined || only.has(producer)) &&
        (messageId.startsWith(part) || correlationId.startsWith(part)),
    );
    found.push(...fits.map(messageFound));
    before = next;
    if (before === undefined) break;
  }
  return { found, ...defined({ reached: before }) };
};

/** A message by its whole id: one that was refused has nothing but it. */
export const lifeFound = ({ accepted, messageId }: MessageLife): SearchMatch =>
  accepted ? messageFound(accepted) : { kind: 'message', message_id: messageId };

const nothing: Part = { found: [] };

/**
 * What fits a text in a workspace, one part of it: `next` is there until everything was searched.
 */
export const search = async (
  ports: SearchPorts,
  workspace: string,
  { text, after, connections, appNames, only }: SearchRequest,
): Promise<SearchResponse> => {
  const lower = text.toLowerCase();
  const words = folded(text).split(/\s+/);
  const isSeeingAll = only === undefined;

  const froms = nextForm.exec(after ?? '') ?? [];
  const [, storiesFrom = begin, messagesFrom = begin, connectionsFrom = begin] = froms;
  const [ofStories, ofMessages] = await Promise.all([
    isSeeingAll && storiesFrom !== done
      ? stories(ports, workspace, { words, from: storiesFrom })
      : nothing,
    idPart.test(lower) && messagesFrom !== done
      ? messages(ports, workspace, { part: lower, from: messagesFrom, only })
      : nothing,
  ]);

  const matching = connections.filter(({ id, app }) =>
    hasWords(`${appNames.get(app) ?? app} ${id}`, words),
  );
  const part = {
    after: connectionsFrom === begin ? undefined : connectionsFrom,
    max: limits.portalPage,
  };
  const named = connectionsFrom === done ? { entries: [] } : partOf(matching, part, ({ id }) => id);

  // All rules are in the first part.
  const ruleIds = Object.keys(rules).filter(rule => rule.startsWith(lower));
  const ofNames: readonly SearchMatch[] = [
    ...named.entries.map(({ id, app }) => ({
      kind: 'connection' as const,
      connection_id: id,
      app_name: appNames.get(app) ?? app,
    })),
    ...(after === undefined ? ruleIds.map(rule => ({ kind: 'rule' as const, rule })) : []),
  ];

  const reached = [ofStories.reached, ofMessages.reached, named.next];
  const isOver = reached.every(one => one === undefined);
  return {
    found: [...ofNames, ...ofMessages.found, ...ofStories.found],
    ...(!isOver && { next: reached.map(one => one ?? done).join('!') }),
    ...(!isSeeingAll && { not_searched: ['stories', 'messages_of_others'] }),
  };
};
