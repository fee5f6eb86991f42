import type { MessageOf, SomMessage } from '../../../lib/kit/client/index.ts';
import { derivedId, houseIds } from '../../../lib/kit/newsroom/day.ts';
import { react } from '../../../lib/kit/newsroom/reactions.ts';
import type { RoleName } from '../../../lib/kit/newsroom/roles.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';
import { dated } from './whole-day.ts';

type Snapshot = MessageOf<'story.context'>;

const beats = script(dated('2026-11-22'));

const snapshot = (story: string, number: number): Snapshot => {
  const found = beats.find(
    beat => beat.story === story && beat.message.payload.sequence_number === number,
  );
  if (found === undefined) throw new Error(`${story} has no snapshot ${number}.`);
  return found.message;
};

const changed = (message: Snapshot, payload: object): Snapshot =>
  ({ ...message, payload: { ...message.payload, ...payload } }) as Snapshot;

/** Another message of the same story, at noon. */
const about = (message: Snapshot, type: string, payload: object): SomMessage =>
  ({
    ...message,
    message_id: derivedId('a', type),
    message_type: type,
    timestamp: '2026-11-22T12:00:00.000Z',
    originating_system: { system_id: 'others', system_type: 'custom' },
    payload: { message_type: type, ...payload },
  }) as unknown as SomMessage;

const reactions = (role: RoleName, cause: SomMessage) =>
  react(role, cause, { beats, instances: [] });

const payloads = (role: RoleName, cause: SomMessage) =>
  reactions(role, cause).map(({ message }) => message.payload);

const bridge = 'sorrel-bridge.day-20261122';
const correlation = houseIds.correlation(bridge);
const lowerThird = `${bridge}/lower-third`;
const link = houseIds.link(correlation, lowerThird, 'quay-bulletin');
const page = `live-page-${correlation.slice(0, 8)}`;
const pageLink = houseIds.link(correlation, page, 'quay-live-page');

const opened = snapshot('sorrel-bridge', 1);
const prepared = snapshot('sorrel-bridge', 7);
const used = snapshot('sorrel-bridge', 8);
const killed = snapshot('sorrel-bridge', 10);

test('a message says what caused it, and has the id of what it is about', () => {
  expect(reactions('mam', opened)).toEqual([
    {
      seconds: 30,
      message: {
        som_version: '1.0.0',
        message_id: derivedId('message', 'mam', 'delivery.media_available', bridge),
        correlation_id: correlation,
        causation_id: opened.message_id,
        message_type: 'delivery.media_available',
        timestamp: '2026-11-22T06:50:30.000Z',
        originating_system: { system_id: 'fennel-mam', system_type: 'archive' },
        topic: 'som.delivery.media_available',
        payload: {
          message_type: 'delivery.media_available',
          delivery_id: derivedId('delivery', `${bridge}/coverage`),
          asset_id: `${bridge}/coverage`,
          arrived_in: 'fennel-mam',
          arrived_at: '2026-11-22T06:50:30.000Z',
          locator: { store: 'fennel-mam', ref: `coverage/${bridge}` },
        },
      },
    },
  ]);
});

test('the archive delivers coverage once for a story of others that goes on', () => {
  expect(reactions('mam', snapshot('sorrel-bridge', 3))).toEqual([]);
  for (const type of ['ORPHAN', 'KILLED', 'SPIKED', 'ARCHIVED'])
    expect(reactions('mam', changed(opened, { story_type: type }))).toEqual([]);
});

test('the newsroom system adds what was delivered to its own story', () => {
  const delivered = about(opened, 'delivery.media_available', {});
  const [attached] = reactions('ncs', delivered);
  expect(attached?.message.message_id).toBe(
    derivedId('message', 'ncs', 'story.context', `${bridge} 2`),
  );
  const coverage = {
    asset_id: `${bridge}/coverage`,
    asset_type: 'VIDEO',
    status: 'READY',
    produced_by: 'fennel-mam',
    media_refs: [{ locator: { store: 'fennel-mam', ref: `coverage/${bridge}` } }],
  };
  expect(attached?.message.payload).toEqual({
    ...opened.payload,
    assets: [coverage],
    sequence_number: 2,
    updated_at: '2026-11-22T06:51:00.000Z',
  });
  const others = { ...delivered, correlation_id: derivedId('others') } as SomMessage;
  expect(reactions('ncs', others)).toEqual([]);
});

describe('graphics', () => {
  const booking = {
    message_type: 'link.committed',
    link_id: link,
    asset_id: lowerThird,
    destination_id: 'quay-bulletin',
    committed_by: 'fennel-graphics',
    committed_at: '2026-11-22T12:20:20.000Z',
    compliance_gate_status: 'PENDING',
  };
  const lower = (more: object) =>
    changed(prepared, {
      assets: [{ asset_id: lowerThird, asset_type: 'LOWER_THIRD', status: 'PREPARED', ...more }],
    });

  test('books a lower third that is nowhere in use', () => {
    expect(payloads('graphics', prepared)).toEqual([booking]);
    expect(payloads('graphics', lower({}))).toEqual([booking]);
    expect(payloads('graphics', lower({ usage: [] }))).toEqual([booking]);
    expect(payloads('graphics', lower({ asset_type: 'VIDEO' }))).toEqual([]);
    expect(payloads('graphics', lower({ status: 'INVALIDATED' }))).toEqual([]);
    expect(payloads('graphics', lower({ usage: [{ link_id: link }] }))).toEqual([]);
    expect(payloads('graphics', opened)).toEqual([]);
  });

  test('withdraws from the bulletin what a story that has ended had there', () => {
    expect(payloads('graphics', used)).toEqual([]);
    const withdrawn = {
      withdrawn_by: 'fennel-graphics',
      withdrawn_at: '2026-11-22T18:05:10.000Z',
      reason: 'The story has ended.',
    };
    expect(payloads('graphics', killed)).toEqual([
      {
        message_type: 'link.withdrawn',
        link_id: link,
        asset_id: lowerThird,
        destination_id: 'quay-bulletin',
        compliance_gate_status: 'CLEARED',
        withdrawn,
      },
    ]);
    const elsewhere = { destination_id: 'quay-live-page', link_id: pageLink };
    const ended = lower({ usage: [elsewhere] }).payload.assets;
    expect(payloads('graphics', changed(killed, { assets: ended }))).toEqual([]);
    expect(payloads('graphics', changed(killed, { assets: undefined }))).toEqual([]);
  });
});

test('standards clears a link whose gate is open, and records it', () => {
  const committed = (status: string) =>
    about(prepared, 'link.committed', {
      link_id: link,
      asset_id: lowerThird,
      destination_id: 'quay-bulletin',
      compliance_gate_status: status,
    });
  expect(reactions('standards', committed('CLEARED'))).toEqual([]);
  expect(payloads('standards', committed('PENDING'))).toEqual([
    {
      message_type: 'link.gate_changed',
      link_id: link,
      asset_id: lowerThird,
      destination_id: 'quay-bulletin',
      compliance_gate_status: 'CLEARED',
    },
    {
      message_type: 'system.audit',
      audit_id: derivedId('audit', 'CLEARED', link),
      action: 'CLEARED',
      target: { kind: 'LINK', id: link },
      actor: { actor_id: 'mirren-oak', actor_type: 'user' },
      reason: 'The figure is named as not confirmed.',
      recorded_at: '2026-11-22T12:01:00.000Z',
    },
  ]);
});

describe('playout', () => {
  const gate = (status: string) =>
    about(prepared, 'link.gate_changed', { link_id: link, compliance_gate_status: status });
  const started = {
    message_type: 'telling.started',
    telling_id: houseIds.telling(link),
    link_id: link,
    exposure_start: '2026-11-22T12:00:30.000Z',
  };

  test('goes on air with what is cleared', () => {
    expect(payloads('playout', gate('CLEARED'))).toEqual([started]);
    expect(payloads('playout', gate('BLOCKED'))).toEqual([]);
    expect(reactions('playout', gate('CLEARED'))[0]).not.toHaveProperty('ends');
  });

  test('ends with the story, if it began', () => {
    expect(reactions('playout', used)).toEqual([]);
    const ended = reactions('playout', killed);
    expect(ended.map(({ message }) => message.payload)).toEqual([
      {
        message_type: 'telling.ended',
        telling_id: houseIds.telling(link),
        link_id: link,
        exposure_end: '2026-11-22T18:05:20.000Z',
      },
    ]);
    const [begun] = reactions('playout', gate('CLEARED'));
    expect(ended.map(({ ends }) => ends?.message_id)).toEqual([begun?.message.message_id]);
  });
});

describe('the live page', () => {
  const onAir = about(prepared, 'telling.started', { link_id: link });

  test('shows the story when it is on air', () => {
    expect(payloads('cms', onAir)).toEqual([
      {
        message_type: 'link.committed',
        link_id: pageLink,
        asset_id: page,
        destination_id: 'quay-live-page',
        committed_by: 'fennel-cms',
        committed_at: '2026-11-22T12:00:15.000Z',
        compliance_gate_status: 'CLEARED',
      },
      {
        message_type: 'telling.started',
        telling_id: houseIds.telling(pageLink),
        link_id: pageLink,
        exposure_start: '2026-11-22T12:00:20.000Z',
      },
    ]);
  });

  test('ends with a story that was on air', () => {
    const ended = reactions('cms', killed);
    expect(ended.map(({ message }) => message.payload)).toEqual([
      {
        message_type: 'telling.ended',
        telling_id: houseIds.telling(pageLink),
        link_id: pageLink,
        exposure_end: '2026-11-22T18:05:30.000Z',
      },
    ]);
    const [, begun] = reactions('cms', onAir);
    expect(ended.map(({ ends }) => ends?.message_id)).toEqual([begun?.message.message_id]);
    expect(reactions('cms', used)).toEqual([]);
    expect(reactions('cms', changed(killed, { assets: [] }))).toEqual([]);
  });
});

test('automation records that a killed story is suppressed', () => {
  expect(payloads('automation', killed)).toEqual([
    {
      message_type: 'system.audit',
      audit_id: derivedId('audit', 'SUPPRESSED', bridge),
      action: 'SUPPRESSED',
      target: { kind: 'ASSET', id: `${bridge}/package` },
      actor: { actor_id: 'fennel-automation', actor_type: 'system' },
      reason: 'The story was killed.',
      recorded_at: '2026-11-22T18:05:40.000Z',
    },
  ]);
  expect(reactions('automation', used)).toEqual([]);
  expect(reactions('automation', changed(killed, { story_type: 'SPIKED' }))).toEqual([]);
});

test('nobody reacts to what it sent itself, or to a type that is not its own', () => {
  const own = {
    ...opened,
    originating_system: { system_id: 'fennel-mam', system_type: 'archive' },
  };
  expect(reactions('mam', own as SomMessage)).toEqual([]);
  expect(reactions('standards', opened)).toEqual([]);
});
