import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Memory, openMemoryFile, UnusableMemory } from '../../../lib/kit/executor/memory.file.ts';
import type { Copy } from '../../../lib/kit/executor/skill.ts';
import { snapshot } from './stage.ts';

const declaration = {
  severity: 'flag',
  fields: ['slug'],
  detail: 'It is odd.',
  ref: 'a/b/1',
} as const;

/** A story of which something is remembered in every way. */
const story = {
  sequence: 7,
  open: new Map([['one', declaration]]),
  opened: new Map([['one', 2]]),
  copies: new Map<string, Copy>([
    ['x', ['HIGH', 1, true]],
    ['y', 'unreadable'],
  ]),
};

const unseen = { sequence: -1, open: new Map(), opened: new Map(), copies: new Map() };

/** Remembers so many things, and then again the first of them. */
const keep = (count: number, one: (id: string) => void) => {
  for (let n = 0; n < count; n += 1) one(`n${n}`);
};

describe('what is remembered', () => {
  test('is there again when it was written and read', () => {
    const memory = new Memory('c1');
    expect(memory.story('s')).toEqual(unseen);
    expect(memory.reactionsTo('m')).toBeUndefined();
    memory.keepStory('s', story);
    memory.keepReactions('m', ['first', 'second']);
    memory.keepNewest('k', snapshot(7));
    expect(memory.newest('k')).toEqual(snapshot(7));
    const again = new Memory('c1', memory.toText());
    expect(again.story('s')).toEqual(story);
    expect(again.story('t')).toEqual(unseen);
    expect(again.reactionsTo('m')).toEqual(['first', 'second']);
    // A wake-up is silent until the next snapshot.
    expect(again.newest('k')).toBeUndefined();
    expect(again.toText()).toBe(memory.toText());
  });

  test('has an end: the oldest is forgotten, and what was told again is not the oldest', () => {
    const memory = new Memory('c1');
    keep(20_000, id => memory.keepStory(id, story));
    keep(5_000, id => memory.keepReactions(id, []));
    keep(500, id => memory.keepNewest(id, snapshot(1)));
    const known = () => [
      ...['n0', 'n1', 'n2'].map(id => memory.story(id).sequence),
      ...['n0', 'n1', 'n2'].map(id => memory.reactionsTo(id)?.length),
      ...['n0', 'n1', 'n2'].map(id => memory.newest(id)?.sequence_number),
    ];
    expect(known()).toEqual([7, 7, 7, 0, 0, 0, 1, 1, 1]);
    for (const id of ['n0', 'one more']) {
      memory.keepStory(id, story);
      memory.keepReactions(id, []);
      memory.keepNewest(id, snapshot(1));
    }
    expect(known()).toEqual([7, -1, 7, 0, undefined, 0, 1, undefined, 1]);
  });

  test.each(['', 'x', '{}', '[]', 'null', '7', '"x"', '{"format":"som-bus executor 2"}'])(
    'is not what another program wrote: %s',
    text => {
      const reading = () => new Memory('c1', text);
      expect(reading).toThrow(UnusableMemory);
      expect(reading).toThrow(
        'The state is not that of an executor: name another file, or remove this one.',
      );
    },
  );

  test('is not what another consumer has', () => {
    expect(() => new Memory('c2', new Memory('c1').toText())).toThrow(
      'The state is that of the consumer c1, and this one is c2: name another file.',
    );
  });
});

describe('its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-memory-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('has either what it had before or what is remembered now, and is for nobody else', () => {
    const path = join(folder, 'state.json');
    const file = openMemoryFile(path, 'c1');
    file.save();
    const before = readFileSync(path, 'utf8');
    expect(before).toBe(file.memory.toText());
    file.memory.keepStory('s', story);

    const done: string[] = [];
    const names = ['openSync', 'writeFileSync', 'fsyncSync', 'closeSync', 'renameSync'] as const;
    const spies = names.map(name => {
      const real = fs[name] as (...given: unknown[]) => unknown;
      return jest.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
        done.push(name);
        if (name === 'renameSync') expect(readFileSync(path, 'utf8')).toBe(before);
        return real(...given);
      }) as never);
    });
    try {
      file.save();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(done).toEqual(names);
    expect(readFileSync(path, 'utf8')).toBe(file.memory.toText());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openMemoryFile(path, 'c1').memory.story('s')).toEqual(story);
    expect(() => openMemoryFile(path, 'c2')).toThrow('is that of the consumer c1');
  });

  test('that is damaged is not taken for a new one', () => {
    const path = join(folder, 'damaged.json');
    writeFileSync(path, '');
    expect(() => openMemoryFile(path, 'c1')).toThrow(UnusableMemory);
  });
});
