import { demoChain, demoStory, demoTypes } from '../../../lib/som/messages/demo-messages.ts';
import { type Message, readMessage } from '../../../lib/som/messages/read-message.ts';
import { follow, type StoryState } from '../../../lib/som/stories/sequence-rules.ts';
import { bytesOf, type Json } from '../../corpus/messages.ts';

const jsonOf = (text: string): Json => JSON.parse(text);
const payloadOf = (message: object) => (message as { readonly payload: Json }).payload;

const readOf = (body: Uint8Array): Message => {
  const read = readMessage(body);
  if (!read.ok) throw new Error(`it is refused: ${read.violations[0].message}`);
  return read.message;
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timesOf = (messages: readonly Json[]) => messages.map(({ timestamp }) => timestamp);
const minutes = (count: number) =>
  Array.from({ length: count }, (_, minute) => `2026-05-04T09:0${minute}:00Z`);

describe('the demo’s story', () => {
  let texts: readonly string[];
  let messages: readonly Json[];
  beforeEach(() => {
    texts = demoStory('demo-ncs');
    messages = texts.map(jsonOf);
  });

  test('is valid and follows the rules of a sequence, and nothing in it is only tolerated', () => {
    let last: StoryState | undefined;
    const told = texts.map(text => {
      const { story, tolerated } = readOf(Buffer.from(text));
      if (!story) throw new Error('it is no snapshot');
      const followed = follow(last, story, { readsLast: true });
      last = followed.state;
      return [...tolerated, ...followed.refused, ...followed.tolerated];
    });
    expect(told).toEqual([[], [], [], [], [], [], []]);
    expect(last?.sequenceNumber).toBe(7n);
  });

  test('is one story in seven snapshots, a minute apart, each with an id of its own', () => {
    expect(timesOf(messages)).toEqual(minutes(7));
    const [{ correlation_id } = {}] = messages;
    expect(correlation_id).toMatch(uuid);
    expect(messages.map(one => one['correlation_id'])).toEqual(
      Array.from({ length: 7 }, () => correlation_id),
    );
    const ids = messages.map(one => String(one['message_id']));
    expect(ids).toEqual(Array.from({ length: 7 }, () => expect.stringMatching(uuid)));
    expect(new Set([...ids, correlation_id]).size).toBe(8);
    expect(messages.map(payloadOf).map(({ story_id, slug }) => [story_id, slug])).toEqual(
      Array.from({ length: 7 }, () => [
        `harbour-fire-${String(correlation_id).slice(0, 8)}`,
        'HARBOUR-FIRE',
      ]),
    );
  });

  test('begins with these bytes, as people read them', () => {
    const [first = ''] = texts;
    const { message_id, correlation_id, payload } = jsonOf(first);
    expect(first).toBe(`{
  "som_version": "1.0.0",
  "message_id": "${message_id}",
  "correlation_id": "${correlation_id}",
  "timestamp": "2026-05-04T09:00:00Z",
  "originating_system": {
    "system_id": "demo-ncs",
    "system_type": "ncs"
  },
  "message_type": "story.context",
  "topic": "som.story",
  "payload": {
    "story_id": "${(payload as Json)['story_id']}",
    "slug": "HARBOUR-FIRE",
    "headline": "Smoke seen over the old harbour",
    "story_type": "PLANNED",
    "editorial_source": [
      {
        "source_id": "fire-service",
        "source_type": "OFFICIAL",
        "provider": "Feuerwehr Hafen",
        "credibility": "VERIFIED",
        "received_at": "2026-05-04T09:00:00Z"
      }
    ],
    "sequence_number": 1,
    "updated_at": "2026-05-04T09:00:00Z"
  }
}`);
  });

  test('keeps in each snapshot what was said before, until it ends', () => {
    const phaseOf = ({ lifecycle }: Json) => (lifecycle as Json | undefined)?.['phase'];
    const assetsOf = ({ assets = [] }: Json) =>
      (assets as readonly Json[]).map(({ asset_id, status }) => `${asset_id} ${status}`);
    const made = 'harbour-live READY';
    expect(
      messages
        .map(payloadOf)
        .map(story => [
          story['sequence_number'],
          story['updated_at'],
          story['headline'],
          story['story_type'],
          phaseOf(story),
          assetsOf(story),
        ]),
    ).toEqual([
      [1, '2026-05-04T09:00:00Z', 'Smoke seen over the old harbour', 'PLANNED', undefined, []],
      [2, '2026-05-04T09:01:00Z', 'Smoke seen over the old harbour', 'ACTIVE', 'DEVELOPING', []],
      [
        3,
        '2026-05-04T09:02:00Z',
        'Fire at the old harbour',
        'ACTIVE',
        'DEVELOPING',
        ['harbour-live IN_PRODUCTION'],
      ],
      [
        4,
        '2026-05-04T09:03:00Z',
        'Fire at the old harbour',
        'ACTIVE',
        'BREAKING',
        ['harbour-live IN_PRODUCTION'],
      ],
      [
        5,
        '2026-05-04T09:04:00Z',
        'Fire at the old harbour',
        'ACTIVE',
        'BREAKING',
        [made, 'harbour-map IN_PRODUCTION'],
      ],
      [
        6,
        '2026-05-04T09:05:00Z',
        'Fire at the old harbour',
        'ACTIVE',
        'PUBLISHED',
        [made, 'harbour-map READY'],
      ],
      [
        7,
        '2026-05-04T09:06:00Z',
        'Harbour fire is out',
        'ARCHIVED',
        undefined,
        [made, 'harbour-map READY'],
      ],
    ]);
    expect(payloadOf(messages[6] ?? {})).not.toHaveProperty('lifecycle');
  });
});

describe('the demo’s chain', () => {
  const types = [
    'story.context',
    'skill.warning.raised',
    'delivery.media_available',
    'link.committed',
    'link.gate_changed',
    'system.audit',
    'telling.started',
    'telling.ended',
    'telling.exposed',
    'link.withdrawn',
  ];

  let chain: ReturnType<typeof demoChain>;
  beforeEach(() => {
    chain = demoChain('demo-ncs');
  });

  test('has a message of each type, and each is caused by the one before', () => {
    expect(chain.map(({ message_type }) => message_type)).toEqual(types);
    expect(demoTypes).toEqual(types);
    const ids = chain.map(({ message_id }) => message_id);
    expect(new Set(ids).size).toBe(10);
    expect(chain.map(message => message['causation_id'])).toEqual([undefined, ...ids.slice(0, -1)]);
    expect(new Set(chain.map(message => message['correlation_id'])).size).toBe(1);
  });

  test('is valid, nothing in it is only tolerated, and its messages are a minute apart', () => {
    expect(chain.map(message => readOf(bytesOf(message)))).toMatchObject(
      types.map(messageType => ({ messageType, systemId: 'demo-ncs', tolerated: [] })),
    );
    expect(timesOf(chain)).toEqual(minutes(10));
    expect(chain.filter(({ topic }) => !/^som\.[a-z]+$/.test(String(topic)))).toEqual([]);
    expect(chain.map(message => [message['som_version'], message['originating_system']])).toEqual(
      types.map(() => ['1.0.0', { system_id: 'demo-ncs', system_type: 'ncs' }]),
    );
  });

  test('speaks of one story, one link and one telling, which are new each time', () => {
    const valuesOf = (messages: typeof chain, member: string) =>
      new Set(messages.flatMap(message => payloadOf(message)[member] ?? []));
    const again = demoChain('demo-ncs');
    const seen = ['story_id', 'link_id', 'telling_id', 'asset_id'].map(member => [
      member,
      valuesOf(chain, member).size,
      valuesOf([...chain, ...again], member).size,
    ]);
    expect(seen).toEqual([
      ['story_id', 1, 2],
      ['link_id', 1, 2],
      ['telling_id', 1, 2],
      ['asset_id', 1, 1],
    ]);
    const [{ correlation_id } = {}] = chain as readonly Json[];
    expect([...valuesOf(chain, 'story_id')]).toEqual([
      `harbour-fire-${String(correlation_id).slice(0, 8)}`,
    ]);
  });

  test('has no name in braces left, in the middle of a text neither', () => {
    expect(JSON.stringify(chain)).not.toMatch(/\{\w+\}/);
    const ofPayload = (index: number, member: string) => payloadOf(chain[index] ?? {})[member];
    expect(ofPayload(1, 'skill_warning_ref')).toBe(`demo/${ofPayload(0, 'story_id')}`);
    expect(payloadOf(chain[5] ?? {})['target']).toEqual({
      kind: 'LINK',
      id: ofPayload(3, 'link_id'),
    });
    const fresh = [
      ofPayload(1, 'warning_id'),
      ofPayload(2, 'delivery_id'),
      ofPayload(5, 'audit_id'),
    ];
    expect(fresh).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(uuid)));
    expect(new Set(fresh).size).toBe(3);
  });
});
