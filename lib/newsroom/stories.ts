import { destinations } from './day.ts';
import { newsroomId } from './roles.ts';
import type { Asset, Stage, Story } from './story.ts';

const figure = '18,000 crossings a day rerouted';

const openFigure = (now: string, status: 'ACTIVE' | 'RESOLVED') => ({
  flag_id: 'open-figure',
  type: 'UNCONFIRMED_FIGURE',
  severity: 'MEDIUM' as const,
  detail: `"${figure}" is not confirmed by the county works.`,
  raised_by: 'fennel-ncs',
  raised_at: now,
  status,
});

const factCheck = ({ asset, at }: Stage, confirmedAt?: string) => ({
  assertion_id: 'figure-check',
  assertion_type: 'FACT_CHECK' as const,
  target: { kind: 'ASSET' as const, id: asset('lower-third') },
  claim: { metric: 'crossings rerouted per day', value: 18_000 },
  asserted_at: at('12:20'),
  review: confirmedAt
    ? { state: 'CONFIRMED' as const, reviewer: 'Ilse Tarn', reviewed_at: confirmedAt }
    : { state: 'PENDING' as const },
  provenance: { author: 'HUMAN' as const },
});

const figureGate = ({ asset }: Stage, status: 'PENDING' | 'APPROVED') => ({
  gate_id: 'figure-gate',
  gate_type: 'FIGURE_CONFIRMED',
  status,
  assigned_to: 'Mirren Oak',
  blocks: [{ kind: 'ASSET' as const, ref: asset('lower-third') }],
});

const feed = ({ asset }: Stage, acquisition_state: 'CAPTURING' | 'CAPTURED'): Asset => ({
  asset_id: asset('press-feed'),
  asset_type: 'VIDEO',
  status: acquisition_state === 'CAPTURED' ? 'READY' : 'IN_PRODUCTION',
  evidential_position: 'PRIMARY',
  acquisition_state,
  produced_by: 'fennel-mam',
});

const countyWorks = (received_at: string) => ({
  source_id: 'county-works',
  source_type: 'OFFICIAL' as const,
  provider: 'Halmere county works',
  credibility: 'VERIFIED' as const,
  received_at,
});

const bridgeWarden = (received_at: string) => ({
  source_id: 'bridge-warden',
  source_type: 'FIELD_CREW' as const,
  provider: 'Fennel Quay News',
  credibility: 'TRUSTED' as const,
  received_at,
});

const bridge: Story = {
  name: 'sorrel-bridge',
  by: 'ncs',
  type: 'ACTIVE',
  start: ({ now }) => ({
    slug: 'SORREL-BRIDGE-SHUT',
    headline: 'Sorrel Bridge shut after a line is seen in a girder',
    newsroom_id: newsroomId,
    story_owner: 'Fennel Quay news desk',
    tags: [{ scheme: 'newsroom', value: 'transport', label: 'Transport' }],
    priority: { level: 'HIGH', reason: 'the only bridge to Halmere', escalated_at: now },
    compliance: [openFigure(now, 'ACTIVE')],
    editorial_source: [bridgeWarden(now)],
    story_meaning: {
      what: 'The only bridge to Halmere is shut.',
      where: 'Sorrel Bridge, Halmere',
      why: 'A line was seen in a girder.',
    },
  }),
  changes: [
    { time: '06:50', sequence: 1, note: 'the bridge is shut; priority HIGH', phase: 'DEVELOPING' },
    {
      time: '08:20',
      sequence: 3,
      note: 'phase BREAKING, URGENT; the press feed is being captured',
      phase: 'BREAKING',
      set: ({ now }) => ({
        priority: { level: 'URGENT', reason: 'the works speak at nine', escalated_at: now },
      }),
      assets: stage => [feed(stage, 'CAPTURING')],
    },
    {
      time: '09:40',
      sequence: 4,
      note: 'the press feed is captured',
      assets: stage => [
        feed(stage, 'CAPTURED'),
        {
          asset_id: stage.asset('package'),
          asset_type: 'VIDEO',
          status: 'IN_PRODUCTION',
          derived_from: [stage.asset('press-feed')],
        },
      ],
    },
    {
      time: '10:25',
      sequence: 5,
      note: 'a second source, the county works; FLASH',
      set: ({ now, at }) => ({
        priority: { level: 'FLASH', reason: 'confirmed by the county works', escalated_at: now },
        editorial_source: [bridgeWarden(at('06:50')), countyWorks(now)],
      }),
    },
    {
      time: '11:00',
      sequence: 6,
      note: 'a transcript of the feed, made by a model, not reviewed yet',
      assets: ({ asset, now }) => [
        {
          asset_id: asset('transcript'),
          asset_type: 'TRANSCRIPT',
          status: 'READY',
          derived_from: [asset('press-feed')],
          provenance: {
            author: 'MODEL',
            model: 'quay-scribe',
            model_version: '3.1',
            confidence: 0.93,
            generated_at: now,
            review: { state: 'PENDING' },
          },
        },
      ],
    },
    {
      time: '12:20',
      sequence: 7,
      note: 'a lower third with the open figure; its gate is PENDING',
      set: stage => ({
        editorial_gates: [figureGate(stage, 'PENDING')],
        assertions: [factCheck(stage)],
      }),
      assets: ({ asset }) => [
        { asset_id: asset('lower-third'), asset_type: 'LOWER_THIRD', status: 'PREPARED' },
      ],
    },
    {
      time: '14:00',
      sequence: 8,
      note: 'the figure is confirmed, the gate APPROVED; the lower third is in use',
      set: stage => ({
        compliance: [openFigure(stage.at('06:50'), 'RESOLVED')],
        editorial_gates: [figureGate(stage, 'APPROVED')],
        assertions: [factCheck(stage, stage.now)],
      }),
      assets: ({ asset, link }) => [
        {
          asset_id: asset('lower-third'),
          asset_type: 'LOWER_THIRD',
          status: 'READY',
          usage: [
            {
              link_id: link(asset('lower-third')),
              destination_id: destinations.bulletin,
              state: 'committed',
            },
          ],
        },
      ],
    },
    {
      time: '16:15',
      sequence: 9,
      note: 'the closing time is corrected',
      set: () => ({
        story_meaning: {
          what: 'The only bridge to Halmere is shut.',
          when: 'since twenty to seven this morning',
          where: 'Sorrel Bridge, Halmere',
          why: 'A line was seen in a girder.',
        },
      }),
    },
    {
      time: '18:05',
      sequence: 10,
      note: 'the line is paint: the story is KILLED',
      type: 'KILLED',
    },
  ],
};

const market: Story = {
  name: 'night-market',
  by: 'ncs',
  type: 'ACTIVE',
  start: ({ now }) => ({
    slug: 'NIGHT-MARKET-VOTE',
    headline: 'Council bins night market plan',
    newsroom_id: newsroomId,
    story_owner: 'Fennel Quay news desk',
    tags: [{ scheme: 'newsroom', value: 'council', label: 'Council' }],
    priority: { level: 'HIGH', reason: 'the vote is today', escalated_at: now },
    editorial_source: [
      {
        source_id: 'council',
        source_type: 'OFFICIAL',
        provider: 'Halmere council, under Obed Whin',
        credibility: 'VERIFIED',
        received_at: now,
      },
    ],
  }),
  changes: [
    { time: '11:45', sequence: 1, note: 'the council has voted; priority HIGH', phase: 'DEVELOPING' },
    {
      time: '14:40',
      sequence: 3,
      note: 'the headline says "rejects" now',
      set: () => ({ headline: 'Council rejects night market plan' }),
    },
  ],
};

const tipClip: Story = {
  name: 'tip-clip',
  by: 'mam',
  type: 'ORPHAN',
  start: ({ now, asset, story }) => ({
    slug: 'TIP-CLIP',
    headline: 'Phone video of a bridge girder',
    newsroom_id: newsroomId,
    editorial_source: [
      {
        source_id: 'passer-by',
        source_type: 'USER_GENERATED',
        provider: 'a passer-by',
        credibility: 'UNVERIFIED',
        received_at: now,
      },
    ],
    editorial_gates: [
      {
        gate_id: 'clip-gate',
        gate_type: 'VERIFICATION',
        status: 'PENDING',
        blocks: [{ kind: 'ASSET', ref: asset('clip') }],
      },
    ],
    assertions: [
      {
        assertion_id: 'clip-match',
        assertion_type: 'MATCH',
        target: { kind: 'ASSET', id: asset('clip') },
        claim: { story_id: story('sorrel-bridge') },
        asserted_at: now,
        confidence: 0.88,
        review: { state: 'PENDING' },
        provenance: { author: 'MODEL', model: 'quay-match', model_version: '1.4' },
      },
    ],
    assets: [
      {
        asset_id: asset('clip'),
        asset_type: 'VIDEO',
        status: 'READY',
        evidential_position: 'PRIMARY',
        produced_by: 'fennel-mam',
      },
    ],
  }),
  changes: [{ time: '06:05', sequence: 1, note: 'a phone video of the girder, filed as an orphan' }],
};

/** The stories of a day. */
export const stories: readonly Story[] = [bridge, market, tipClip];
