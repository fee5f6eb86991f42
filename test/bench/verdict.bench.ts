import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { examine, judge } from '../../lib/bus/publishing/verdict.ts';
import envelopeSchema from '../../schemas/envelope.schema.json';
import storySchema from '../../schemas/story-context.schema.json';
import { producer } from '../corpus/connections.ts';
import { bytesOf, envelope, type Json } from '../corpus/messages.ts';
import { payloadOf } from '../corpus/payloads.ts';
import { judgementOf } from '../support/judgement-of.ts';
import { median } from './figures.ts';

/** The least a gateway could do with the same bytes: read them as JSON and ask ajv. */
const bareAjv = (): ((bytes: Buffer) => boolean) => {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats(ajv);
  const checkEnvelope = ajv.compile(envelopeSchema);
  const checkStory = ajv.compile(storySchema);
  return bytes => {
    const message: Json = JSON.parse(bytes.toString('utf8'));
    return checkEnvelope(message) && checkStory(message['payload']);
  };
};

const asset = (i: number): Json => ({
  asset_id: `asset-${i}-field-report`,
  asset_type: i % 5 === 0 ? 'x-drone_feed' : 'VIDEO',
  status: 'READY',
  evidential_position: 'PRIMARY',
  derived_from: [`asset-${i + 1}-raw`],
  media_refs: [
    {
      source: `tams://store-north/flow-${i}`,
      label: 'Report from the river',
      time_range: '[0:0_600:0)',
    },
  ],
  provenance: {
    author: 'MODEL',
    model: 'transcriber',
    model_version: '2.1',
    confidence: 0.97,
    generated_at: '2026-02-03T09:41:00Z',
    review: { state: 'CONFIRMED', reviewer: 'desk-ines', reviewed_at: '2026-02-03T09:55:00Z' },
  },
});

/** A story of about so many bytes: every member once, then assets. */
const storyOf = (bytes: number, sequence: number): Buffer => {
  const base =
    bytes < 8000
      ? { ...payloadOf('story.context'), compliance: [], skills_config: {} }
      : payloadOf('story.context');
  const assets: unknown[] = bytes < 8000 ? [] : [...(base['assets'] as unknown[])];
  const make = () =>
    bytesOf(envelope('story.context', { ...base, assets, sequence_number: sequence }));
  while (make().byteLength < bytes - 250) assets.push(asset(assets.length));
  return make();
};

/** Mean microseconds of a call, over `calls` calls. */
const microseconds = (call: () => void, calls: number): number => {
  const start = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) call();
  return Number(process.hrtime.bigint() - start) / calls / 1000;
};

const floor = bareAjv();
const connection = producer();

const measure = (bytes: number, max: number): boolean => {
  const before = judgementOf(storyOf(bytes, 1), connection, {});
  if (before.kind !== 'accept' || before.story === undefined)
    throw new Error('the first snapshot was refused');
  const state = { story: before.story };
  const body = storyOf(bytes, 2);
  const ours = () => {
    const examined = examine(body, connection);
    if (
      examined.kind === 'refused' ||
      judge(examined.message, { ...state, readsLast: true }).kind !== 'accept'
    )
      throw new Error('the snapshot was refused');
  };
  const theirs = () => {
    if (!floor(body)) throw new Error('ajv refused the snapshot');
  };
  const calls = Math.ceil(4_000_000 / body.byteLength);
  for (const call of [theirs, ours]) microseconds(call, calls * 3);
  const rounds = Array.from(
    { length: 25 },
    () => [microseconds(theirs, calls), microseconds(ours, calls)] as const,
  );
  const [slow, fast] = [median(rounds.map(([, own]) => own)), median(rounds.map(([bare]) => bare))];
  const ratio = median(rounds.map(([bare, own]) => own / bare));
  const words = [
    `${body.byteLength} bytes`.padEnd(13),
    `bare JSON.parse + ajv ${fast.toFixed(1)} µs`,
    `verdict ${slow.toFixed(1)} µs (${Math.round(1e6 / slow)} a second)`,
    `${ratio.toFixed(2)} times, at most ${max}`,
  ];
  process.stdout.write(`${words.join('  ')}\n`);
  return ratio <= max;
};

process.stdout.write(
  `verdict: a whole verdict of a story.context with a story before it, node ${process.version}\n`,
);
const met = [measure(4_096, 1.7), measure(100_000, 1.3)];
if (met.includes(false)) process.exitCode = 1;
