import fc from 'fast-check';
import type { Message } from '../../lib/messages/read-message.ts';
import { parseStoryState, storyStateText } from '../../lib/stories/sequence-rules.ts';
import { producer } from '../corpus/connections.ts';
import { bytesOf, envelope, type Json } from '../corpus/messages.ts';
import { judgementOf } from '../support/judgement-of.ts';
import { seed } from '../support/seed.ts';

/** What a story's last accepted snapshot was, in the plainest terms. */
interface Last {
  readonly number: number;
  readonly seconds: number;
  readonly type: string;
  readonly members: ReadonlySet<string>;
  readonly assets: ReadonlyMap<string, string>;
}

interface Model {
  readonly stories: Map<string, Last>;
  readonly sent: Json[];
}

/** The service's memory, stored as text: a state has to survive being written and read. */
class Ledger {
  readonly ids = new Map<string, Message>();
  readonly stories = new Map<string, string>();

  send(message: Json): { kind: string; rules: string[]; tolerated: string[] } {
    const { message_id: id, payload } = message as { message_id: string; payload: { story_id: string } };
    const stored = this.stories.get(payload.story_id);
    const given = judgementOf(bytesOf(message), producer(), {
      accepted: this.ids.get(id),
      story: stored === undefined ? undefined : parseStoryState(stored),
    });
    if (given.kind === 'refuse') {
      return { kind: 'refuse', rules: given.violations.map(({ rule }) => rule).sort(), tolerated: [] };
    }
    if (given.kind === 'duplicate') return { kind: 'duplicate', rules: [], tolerated: [] };
    if (given.message) this.ids.set(id, given.message);
    if (given.story) this.stories.set(payload.story_id, storyStateText(given.story));
    return { kind: 'accept', rules: [], tolerated: given.tolerated.map(({ rule }) => rule) };
  }
}

const types = ['PLANNED', 'ACTIVE', 'KILLED', 'SPIKED', 'ARCHIVED', 'ORPHAN'];
const final = new Set(['KILLED', 'SPIKED', 'ARCHIVED']);
const optional = ['newsroom_id', 'story_owner', 'tags', 'relations'];
const base = Date.UTC(2026, 0, 1) / 1000;

interface Step {
  readonly story: string;
  readonly numberBy: number;
  readonly secondsBy: number;
  readonly zone: number;
  readonly type: string | undefined;
  readonly drop: string | undefined;
  readonly add: readonly string[];
  readonly dropAsset: number | undefined;
  readonly retypeAsset: number | undefined;
  readonly newAssets: readonly string[];
}

const usually = <T>(fallback: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(fallback) }, { weight: 1, arbitrary: others });

const step: fc.Arbitrary<Step> = fc.record({
  story: fc.constantFrom('one', 'two', '__proto__'),
  numberBy: usually(1, fc.integer({ min: -2, max: 3 })),
  secondsBy: usually(1, fc.integer({ min: -2, max: 2 })),
  zone: fc.constantFrom(0, 90, -600),
  type: usually<string | undefined>(undefined, fc.constantFrom(...types)),
  drop: usually<string | undefined>(undefined, fc.constantFrom(...optional, 'assets')),
  add: fc.subarray(optional),
  dropAsset: usually<number | undefined>(undefined, fc.nat(9)),
  retypeAsset: usually<number | undefined>(undefined, fc.nat(9)),
  newAssets: usually<readonly string[]>([], fc.subarray(['a', 'b', 'c', '__proto__', 'constructor'])),
});

const timeOf = (seconds: number, zone: number): string => {
  const local = new Date((seconds + zone * 60) * 1000).toISOString().replace('.000Z', '');
  const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60].map(n =>
    `${n}`.padStart(2, '0'),
  );
  return zone === 0 ? `${local}Z` : `${local}${zone < 0 ? '-' : '+'}${hours}:${minutes}`;
};

const optionalValues: Json = {
  newsroom_id: 'n',
  story_owner: 'o',
  tags: [],
  relations: [],
};

/** The next snapshot of a story, as a step makes it from the last one. */
const nextOf = (last: Last | undefined, change: Step): Last => {
  const assets = [...(last?.assets ?? [])].filter((_, i) => i !== change.dropAsset);
  const retyped = assets.map(([id, type], i): [string, string] => [
    id,
    i === change.retypeAsset ? `${type === 'MAP' ? 'CG' : 'MAP'}` : type,
  ]);
  const known = new Set(retyped.map(([id]) => id));
  const added = change.newAssets.filter(id => !known.has(id)).map((id): [string, string] => [id, 'VIDEO']);
  const type = change.type ?? last?.type ?? 'PLANNED';
  const kept = [...(last?.members ?? ['assets'])].filter(
    name => name !== change.drop && name !== 'lifecycle',
  );
  return {
    number: Math.max(0, (last?.number ?? 3) + change.numberBy),
    seconds: (last?.seconds ?? base) + change.secondsBy,
    type,
    members: new Set([...kept, ...change.add, ...(type === 'ACTIVE' ? ['lifecycle'] : [])]),
    assets: new Map(kept.includes('assets') ? [...retyped, ...added] : []),
  };
};

const messageOf = (story: string, next: Last, zone: number, id: number): Json => ({
  ...envelope('story.context', {
    story_id: story,
    slug: 's',
    headline: 'h',
    story_type: next.type,
    sequence_number: next.number,
    updated_at: timeOf(next.seconds, zone),
    ...(next.members.has('lifecycle')
      ? { lifecycle: { phase: 'BREAKING', phase_entered_at: '2026-01-01T00:00:00Z' } }
      : {}),
    ...Object.fromEntries(
      optional.filter(name => next.members.has(name)).map(name => [name, optionalValues[name]]),
    ),
    ...(next.members.has('assets')
      ? {
          assets: [...next.assets].map(([asset_id, asset_type]) => ({
            asset_id,
            asset_type,
            status: 'READY',
          })),
        }
      : {}),
  }),
  message_id: `6f1c7c1e-58a5-4d0e-9a53-${`${id}`.padStart(12, '0')}`,
});

/** Contract section 5, in the plainest terms. */
const expectedRules = (last: Last | undefined, next: Last): string[] => {
  if (last === undefined) return [];
  const rules: string[] = [];
  if (next.number <= last.number) rules.push('sequence_number.not_increasing');
  if (next.seconds < last.seconds) rules.push('updated_at.backwards');
  for (const name of last.members) {
    if (next.members.has(name) || (name === 'lifecycle' && next.type !== 'ACTIVE')) continue;
    if (!rules.includes('snapshot.members_missing')) rules.push('snapshot.members_missing');
  }
  if ([...last.assets.keys()].some(id => !next.assets.has(id))) rules.push('snapshot.assets_dropped');
  for (const [id, type] of last.assets) {
    if (next.assets.has(id) && next.assets.get(id) !== type) rules.push('asset.type_changed');
  }
  if (final.has(last.type) && !final.has(next.type)) rules.push('story_type.left_terminal');
  return rules.sort();
};

let steps = 0;
const outcomes = new Map<string, number>();
const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

class SendSnapshot implements fc.Command<Model, Ledger> {
  readonly step: Step;

  constructor(change: Step) {
    this.step = change;
  }

  check = () => true;

  run(model: Model, ledger: Ledger): void {
    steps++;
    const last = model.stories.get(this.step.story);
    const next = nextOf(last, this.step);
    const rules = expectedRules(last, next);
    const message = messageOf(this.step.story, next, this.step.zone, model.sent.length + 1);
    const response = ledger.send(message);
    const tolerated = last !== undefined && next.number > last.number + 1 ? ['sequence_number.gap'] : [];
    expect(response).toEqual(
      rules.length > 0 ? { kind: 'refuse', rules, tolerated: [] } : { kind: 'accept', rules: [], tolerated },
    );
    for (const rule of rules.length > 0 ? rules : ['accept', ...tolerated]) count(rule);
    if (rules.length > 0) return;
    model.stories.set(this.step.story, next);
    model.sent.push(message);
  }

  toString = () => JSON.stringify(this.step);
}

class SendAgain implements fc.Command<Model, Ledger> {
  readonly which: number;
  readonly changed: boolean;

  constructor(which: number, changed: boolean) {
    this.which = which;
    this.changed = changed;
  }

  check = (model: Readonly<Model>) => model.sent.length > 0;

  run(model: Model, ledger: Ledger): void {
    steps++;
    const message = model.sent[this.which % model.sent.length] ?? {};
    const reordered = Object.fromEntries(Object.entries(message).reverse());
    const response = ledger.send(this.changed ? { ...reordered, topic: 'som.other' } : reordered);
    expect(response).toMatchObject(
      this.changed ? { kind: 'refuse', rules: ['message_id.reused'] } : { kind: 'duplicate' },
    );
    count(this.changed ? 'message_id.reused' : 'duplicate');
  }

  toString = () => `again ${this.which} ${this.changed}`;
}

test('random histories of several stories get the verdicts of a plain model, over 5,000 steps', () => {
  process.stdout.write(`sequence model: seed ${seed} (SOMBUS_SEED for another)\n`);
  const snapshot = step.map(change => new SendSnapshot(change));
  const again = fc.tuple(fc.nat(99), fc.boolean()).map(([which, changed]) => new SendAgain(which, changed));
  const commands = fc.commands([snapshot, snapshot, snapshot, snapshot, again], {
    maxCommands: 60,
    size: 'max',
  });
  fc.assert(
    fc.property(commands, list => {
      fc.modelRun(() => ({ model: { stories: new Map(), sent: [] }, real: new Ledger() }), list);
    }),
    { numRuns: 225, seed },
  );
  const told = [...outcomes].sort().map(([name, times]) => `${name} ${times}`);
  process.stdout.write(`sequence model: ${steps} steps: ${told.join(', ')}\n`);
  expect(steps).toBeGreaterThanOrEqual(5_000);
});
