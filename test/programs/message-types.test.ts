import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeShared, readShared } from '../shared.ts';
import { storyContext } from '../support/messages.ts';
import { temporaryFolder } from '../support/service-process.ts';

const types = resolve('lib/generated/som-messages.generated.ts');

/** Options of a project that is stricter than most, and knows nothing of Node. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2022'],
  module: 'preserve',
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  types: [],
};

/** Which of these messages, written as literals, the compiler takes as a `SomMessage`. */
const compiling = (messages: Readonly<Record<string, unknown>>): readonly string[] => {
  const folder = temporaryFolder();
  const names = Object.keys(messages);
  names.forEach((name, index) => {
    const lines = [
      `import type { SomMessage } from ${JSON.stringify(types)};`,
      `export const message: SomMessage = ${JSON.stringify(messages[name])};`,
    ];
    writeFileSync(join(folder.path, `message-${index}.ts`), lines.join('\n'));
  });
  writeFileSync(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['message-*.ts'] }),
  );
  const { stdout } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', folder.path],
    {
      encoding: 'utf8',
    },
  );
  folder.remove();
  const wrong = new Set(
    [...stdout.matchAll(/message-(\d+)\.ts\(/g)].map(([, index]) => Number(index)),
  );
  return names.filter((_name, index) => !wrong.has(index));
};

describeShared('som-1.0', 'the public examples', () => {
  const {
    cases,
  }: { cases: { id: string; file: string; wrap?: string; expect: { ok: boolean } }[] } = JSON.parse(
    readShared('som-1.0', 'validation-cases.json').toString(),
  );

  test('compile where the verdict accepts them, and only there', () => {
    const messages = Object.fromEntries(
      cases.map(({ id, file, wrap }) => {
        const value = JSON.parse(readShared('som-1.0', 'examples', file).toString());
        const body = 'must_fail_because' in value ? (value.message ?? value.payload) : value;
        return [id, wrap ? { ...storyContext(), message_type: wrap, payload: body } : body];
      }),
    );
    const accepted = cases.flatMap(({ id, expect: { ok } }) => (ok ? [id] : []));
    expect(cases).toHaveLength(38);
    expect(compiling(messages)).toEqual(accepted);
  });
});

const payload = {
  story_id: 'harbour-fire',
  slug: 'HARBOUR-FIRE',
  headline: 'Fire in the harbour',
  story_type: 'PLANNED',
  sequence_number: 1,
  updated_at: '2026-05-04T09:00:00Z',
};
const link = {
  message_type: 'link.committed',
  link_id: '5d0c1f6e-4f0e-4d8a-9d0a-0000000000a1',
  asset_id: 'asset-1',
  destination_id: 'web',
  compliance_gate_status: 'PENDING',
  committed_by: 'editor',
  committed_at: '2026-05-04T09:00:00Z',
};
const story = (changes: object) => ({ ...storyContext(), payload: { ...payload, ...changes } });
const other = (message_type: string, content: object) => ({
  ...storyContext(),
  message_type,
  payload: content,
});
const lifecycle = { phase: 'BREAKING', phase_entered_at: '2026-05-04T09:00:00Z' };
const person = { author: 'HUMAN' };
const asset = (more: object) =>
  story({ assets: [{ asset_id: 'a', asset_type: 'STILL', status: 'READY', ...more }] });
/** A fact check without what it found. */
const claim = {
  assertion_id: 'a',
  assertion_type: 'FACT_CHECK',
  target: { kind: 'STORY', id: 's' },
  claim: { metric: 'homes' },
  asserted_at: '2026-05-04T09:00:00Z',
  provenance: person,
};

test('right messages compile', () => {
  const messages = {
    'a planned story': story({}),
    'an active story': story({ story_type: 'ACTIVE', lifecycle }),
    'a vendor’s extension': story({ extensions: { 'com.example.mood': { level: 3 } } }),
    'a word of the house': asset({ asset_type: 'x-hologram' }),
    'a link': other('link.committed', link),
    'a type without a schema': other('asset.ingested', { anything: [1, null] }),
  };
  expect(compiling(messages)).toEqual(Object.keys(messages));
});

test('wrong messages do not compile', () => {
  const { headline, ...incomplete } = payload;
  const messages = {
    'a text for a number': story({ sequence_number: '1' }),
    'an unknown member of a payload': story({ haedline: 'x' }),
    'an unknown member of an envelope': { ...storyContext(), mood: 'tense' },
    'an unknown member deep inside': story({ priority: { level: 'HIGH', why: 'x' } }),
    'a missing member': { ...storyContext(), payload: incomplete },
    'a forbidden member': story({ ai_enrichments: [] }),
    'an unknown word': story({ story_type: 'PREDICTED' }),
    'an active story without a lifecycle': story({ story_type: 'ACTIVE' }),
    'a planned story with a lifecycle': story({ lifecycle }),
    'an extension without a vendor': story({ extensions: { mood: 3 } }),
    'a type that nobody knows': other('story.contxt', payload),
    'the payload of another type': other('link.withdrawn', payload),
    'a payload that names another type': other('link.withdrawn', link),
    'a model beside a human author': asset({ provenance: { ...person, model: 'm' } }),
    'media without a place': asset({ media_refs: [{ label: 'l' }] }),
    'a claim that lacks what its type needs': story({ assertions: [claim] }),
    'a version before 1.0': { ...storyContext(), som_version: '0.9.0' },
  };
  expect(compiling(messages)).toEqual([]);
});
