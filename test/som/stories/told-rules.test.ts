import fc from 'fast-check';
import { type Message, readMessage } from '../../../lib/som/messages/read-message.ts';
import {
  follow,
  parseStoryState,
  type StoryState,
  storyStateText,
} from '../../../lib/som/stories/sequence-rules.ts';

import { bytesOf, envelope, story } from '../../corpus/messages.ts';

interface Source {
  readonly source_id: string;
  readonly received_at: string;
}

interface Assertion {
  readonly assertion_id: string;
  readonly state?: string | undefined;
}

interface Snapshot {
  readonly updated_at: string;
  readonly editorial_source?: readonly Source[] | undefined;
  readonly content_refs?: readonly (string | undefined)[] | undefined;
  readonly assertions?: readonly Assertion[] | undefined;
}

const sourceOf = (source: Source) => ({
  source_type: 'WIRE',
  provider: 'Coast Wire',
  credibility: 'TRUSTED',
  ...source,
});

const referenceTo = (id: string | undefined) => ({
  uri: 'https://wire.example/items/7',
  ...(id === undefined ? {} : { source_id: id }),
});

const assertionOf = ({ assertion_id, state }: Assertion) => ({
  assertion_id,
  assertion_type: 'FACT_CHECK',
  target: { kind: 'STORY', id: 'bridge-opening' },
  claim: { metric: 'lanes', value: 4 },
  asserted_at: '2026-02-03T09:50:00Z',
  provenance: { author: 'HUMAN' },
  ...(state === undefined ? {} : { review: { state } }),
});

const messageOf = (snapshot: Snapshot, number: number): Message => {
  const payload = story({
    sequence_number: number,
    updated_at: snapshot.updated_at,
    editorial_source: snapshot.editorial_source?.map(sourceOf),
    content_refs: snapshot.content_refs?.map(referenceTo),
    assertions: snapshot.assertions?.map(assertionOf),
  });
  const read = readMessage(bytesOf(envelope('story.context', payload)));
  if (!read.ok) throw new Error(JSON.stringify(read.violations));
  return read.message;
};

const stored = (state: StoryState): StoryState | undefined =>
  parseStoryState(storyStateText(state));

/** What the bus tells of each snapshot of a history, as "number of the snapshot: rule path". */
const toldOf = (history: readonly Snapshot[]): readonly string[] => {
  let last: StoryState | undefined;
  return history.flatMap((snapshot, index) => {
    const message = messageOf(snapshot, index + 1);
    if (!message.story) throw new Error('a story.context has a story');
    const { tolerated, state } = follow(last, message.story, { readsLast: true });
    last = stored(state);
    return [...message.tolerated, ...tolerated].map(
      ({ rule, path }) => `${index}: ${rule} ${path}`,
    );
  });
};

/** The last state that a snapshot gives an assertion. */
const modelReviews = ({ assertions = [] }: Snapshot): ReadonlyMap<string, string> => {
  const states = new Map<string, string>();
  for (const { assertion_id, state } of assertions) {
    if (state !== undefined) states.set(assertion_id, state);
  }
  return states;
};

/** The same rules, as the standard's tool for sequences has them. */
const modelOf = (history: readonly Snapshot[]): readonly string[] => {
  const findings: string[] = [];
  history.forEach((snapshot, at) => {
    const { editorial_source: sources = [], content_refs: references = [] } = snapshot;
    const ids = sources.map(({ source_id }) => source_id);
    references.forEach((id, index) => {
      if (id && !ids.includes(id))
        findings.push(
          `${at}: content_refs.source_unresolved /payload/content_refs/${index}/source_id`,
        );
    });
    sources.forEach(({ received_at }, index) => {
      if (received_at > snapshot.updated_at)
        findings.push(
          `${at}: editorial_source.received_after_update /payload/editorial_source/${index}/received_at`,
        );
    });
    const before = history[at - 1];
    if (!before) return;
    const was = modelReviews(before);
    for (const [id, state] of modelReviews(snapshot)) {
      if (state === 'PENDING' && ['CONFIRMED', 'REJECTED'].includes(was.get(id) ?? ''))
        findings.push(`${at}: assertion.review_reopened ${id}`);
    }
  });
  return findings;
};

/** The model names an assertion, the bus the place where it stands. */
const byAssertion = (told: readonly string[], history: readonly Snapshot[]): readonly string[] => [
  ...new Set(
    told.map(line => {
      const [, at = '', index = ''] =
        /^(\d+): assertion\.review_reopened \/payload\/assertions\/(\d+)\//.exec(line) ?? [];
      if (at === '') return line;
      const { assertion_id = '' } = history[Number(at)]?.assertions?.[Number(index)] ?? {};
      return `${at}: assertion.review_reopened ${assertion_id}`;
    }),
  ),
];

const names = fc.constantFrom('one', 'two', '__proto__');
/** Times in UTC with whole seconds: the tool compares them as texts. */
const times = fc.constantFrom(
  '2026-02-03T09:59:59Z',
  '2026-02-03T10:00:00Z',
  '2026-02-03T10:00:01Z',
);
const some = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.array(values, { maxLength: 4 });

const snapshots: fc.Arbitrary<Snapshot> = fc.record({
  updated_at: fc.constant('2026-02-03T10:00:00Z'),
  editorial_source: some(fc.record({ source_id: names, received_at: times })),
  content_refs: some(fc.option(names, { nil: undefined })),
  assertions: some(
    fc.record({
      assertion_id: names,
      state: fc.option(fc.constantFrom('PENDING', 'CONFIRMED', 'REJECTED'), { nil: undefined }),
    }),
  ),
});

test('over random histories the bus tells what the model of the tool finds', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(snapshots, { minLength: 1, maxLength: 5 }), history => {
      const model = modelOf(history);
      found += model.length;
      expect([...byAssertion(toldOf(history), history)].sort()).toEqual([...model].sort());
    }),
    { seed: 43, numRuns: 300 },
  );
  expect(found).toBeGreaterThan(500);
});

const at = (updated_at: string) => ({ updated_at });
const noon = '2026-02-03T12:00:00Z';

test('content_refs.source_unresolved: each reference to a source that is not listed is told', () => {
  const editorial_source = [{ source_id: 'wire-1', received_at: noon }];
  const content_refs = ['wire-1', undefined, 'wire-2'];
  expect(toldOf([{ ...at(noon), editorial_source, content_refs }])).toEqual([
    '0: content_refs.source_unresolved /payload/content_refs/2/source_id',
  ]);
});

test('editorial_source.received_after_update: times are compared as instants', () => {
  const received = (received_at: string) =>
    toldOf([{ ...at(noon), editorial_source: [{ source_id: 'wire-1', received_at }] }]);
  expect(received('2026-02-03T14:00:00+02:00')).toEqual([]);
  expect(received('2026-02-03T11:00:00.001-01:00')).toEqual([
    '0: editorial_source.received_after_update /payload/editorial_source/0/received_at',
  ]);
});

test('assertion.review_reopened: a settled review that is pending again is told, once', () => {
  const reviewed = (state?: string): Snapshot => ({
    ...at(noon),
    assertions: [{ assertion_id: 'claim-1', state }],
  });
  const history = ['PENDING', 'CONFIRMED', 'PENDING', 'PENDING', 'REJECTED', undefined, 'PENDING'];
  expect(toldOf(history.map(reviewed))).toEqual([
    '2: assertion.review_reopened /payload/assertions/0/review/state',
  ]);
});

test('a guest that may not read the last snapshot is told the rule and the place only', () => {
  const reviewed = (state: string, number: number) => {
    const assertions = [{ assertion_id: 'claim-1', state }];
    return messageOf({ ...at(noon), assertions }, number).story;
  };
  const [last, next] = [reviewed('REJECTED', 1), reviewed('PENDING', 2)];
  if (!last || !next) throw new Error('a story.context has a story');
  const { tolerated } = follow(last, next, { readsLast: false });
  expect(tolerated).toEqual([expect.objectContaining({ rule: 'assertion.review_reopened' })]);
  expect(JSON.stringify(tolerated)).not.toMatch(/claim-1|REJECTED was/);
});

test('a state that an older version wrote has no reviews, and is read', () => {
  const { story: state } = messageOf(at(noon), 1);
  if (!state) throw new Error('a story.context has a story');
  const { reviews: _none, ...older } = { ...state, sequenceNumber: '1' };
  expect(parseStoryState(JSON.stringify(older))).toEqual(state);
});
