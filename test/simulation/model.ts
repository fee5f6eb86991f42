/** The state of an actor. `sending` lists the queues that still lack the entry `next`. */
interface Actor {
  readonly at: 'idle' | 'read' | 'waiting' | 'holding' | 'sending' | 'closing' | 'done' | 'dead';
  /** A publisher's own entry, once committed. */
  readonly own: number;
  readonly next: number;
  readonly upTo: number;
  readonly lacking: readonly number[];
  /** What it read of the head. */
  readonly seen: { readonly last: number; readonly published: number; readonly free: boolean };
}

/** The whole model: two publishers with one message each, the relay, one correlation and two queues. */
interface State {
  readonly actors: readonly [Actor, Actor, Actor];
  readonly last: number;
  readonly published: number;
  /** Index of the actor that holds the lease; -1: nobody. */
  readonly holder: number;
  /** The lease is over; its holder may not know yet. */
  readonly over: boolean;
  readonly queues: readonly (readonly number[])[];
  readonly crashesLeft: number;
  readonly refusalsLeft: number;
}

/** The mistakes of a naive service. */
export interface ModelVariant {
  readonly name: string;
  /** Sends only its own entry, and leaves those before it to their publishers. */
  readonly ownEntryOnly?: boolean;
  /** Moves the head when it commits. */
  readonly headFirst?: boolean;
  /** The relay begins with the last entry. */
  readonly relayBackwards?: boolean;
  /** Moves the head even though a queue refused. */
  readonly partialForgotten?: boolean;
}

const relay = 2;
const queues = [0, 1];
const nobody = -1;

const idle: Actor = {
  at: 'idle',
  own: 0,
  next: 0,
  upTo: 0,
  lacking: [],
  seen: { last: 0, published: 0, free: true },
};

const start: State = {
  actors: [idle, idle, idle],
  last: 0,
  published: 0,
  holder: nobody,
  over: false,
  queues: [[], []],
  crashesLeft: 2,
  refusalsLeft: 1,
};

/** Drops what an actor no longer needs, so that states which differ only in that are the same state. */
const tidy = (actor: Actor): Actor => {
  switch (actor.at) {
    case 'read':
    case 'holding':
    case 'sending':
    case 'closing':
      return actor.at === 'read' ? { ...idle, at: 'read', seen: actor.seen } : { ...actor, seen: idle.seen };
    default:
      return { ...idle, at: actor.at, own: actor.at === 'waiting' ? actor.own : 0 };
  }
};

const withActor = (state: State, index: number, actor: Partial<Actor>): State => {
  const [a, b, c] = state.actors.map((one, i) => (i === index ? tidy({ ...one, ...actor }) : one));
  return a && b && c ? { ...state, actors: [a, b, c] } : state;
};

const isFree = ({ holder, over }: State): boolean => holder === nobody || over;

const hold = (state: State, index: number, range: { own?: number; next: number; upTo: number }): State =>
  withActor({ ...state, holder: index, over: false }, index, { at: 'holding', ...range });

const release = (state: State, index: number, published: number): State =>
  state.holder === index
    ? { ...state, holder: nobody, over: false, published: Math.max(state.published, published) }
    : state;

/** A commit succeeds only if the head is as it was read, and takes the lease if it is free. */
const commit = (state: State, index: number, variant: ModelVariant): State => {
  const { seen } = state.actors[index] ?? idle;
  const same =
    seen.last === state.last && seen.published === state.published && (!seen.free || isFree(state));
  if (!same) return withActor(state, index, { at: 'idle' });
  const own = state.last + 1;
  const before = { ...state, last: own, published: variant.headFirst ? own : state.published };
  if (!seen.free) return withActor(before, index, { at: 'waiting', own });
  return hold(before, index, { own, next: variant.ownEntryOnly ? own : state.published + 1, upTo: own });
};

const closing = (state: State, index: number): State => {
  const { own, next } = state.actors[index] ?? idle;
  const after = release(state, index, next - 1);
  if (index === relay) return withActor(after, index, { at: 'idle' });
  return withActor(after, index, { at: after.published >= own ? 'done' : 'waiting' });
};

const sends = (state: State, index: number, variant: ModelVariant): State[] => {
  const { next, upTo, lacking } = state.actors[index] ?? idle;
  const entry =
    index === relay && variant.relayBackwards ? Math.min(upTo, upTo - next + state.published + 1) : next;
  const left = (queue: number) => lacking.filter(one => one !== queue);
  const onward = (after: State, rest: readonly number[]) =>
    withActor(
      after,
      index,
      rest.length > 0 ? { lacking: rest } : { at: 'holding', next: next + 1, lacking: [] },
    );
  const taken = lacking.map(queue => {
    const all = state.queues.map((content, i) =>
      i === queue && !content.includes(entry) ? [...content, entry] : content,
    );
    return onward({ ...state, queues: all }, left(queue));
  });
  if (state.refusalsLeft === 0) return taken;
  const refusing = { ...state, refusalsLeft: state.refusalsLeft - 1 };
  const refused = lacking.map(queue =>
    variant.partialForgotten ? onward(refusing, left(queue)) : withActor(refusing, index, { at: 'closing' }),
  );
  return [...taken, ...refused];
};

const steps = (state: State, index: number, variant: ModelVariant): State[] => {
  const actor = state.actors[index] ?? idle;
  switch (actor.at) {
    case 'idle': {
      const { last, published } = state;
      if (index !== relay)
        return [withActor(state, index, { at: 'read', seen: { last, published, free: isFree(state) } })];
      return published < last && isFree(state)
        ? [hold(state, index, { next: published + 1, upTo: last })]
        : [];
    }
    case 'read':
      return [commit(state, index, variant)];
    case 'waiting':
      if (state.published >= actor.own) return [withActor(state, index, { at: 'done' })];
      return isFree(state) ? [hold(state, index, { next: state.published + 1, upTo: actor.own })] : [];
    case 'holding': {
      const lasts = state.holder === index && !state.over;
      const more = lasts && actor.next <= actor.upTo;
      return [withActor(state, index, more ? { at: 'sending', lacking: queues } : { at: 'closing' })];
    }
    case 'sending':
      return sends(state, index, variant);
    case 'closing':
      return [closing(state, index)];
    default:
      return [];
  }
};

/** Everything that can happen next: a step of an actor, a crash, or the end of a lease at any moment. */
const successors = (state: State, variant: ModelVariant): State[] => {
  const next = state.actors.flatMap((_, index) => steps(state, index, variant));
  const alive = state.actors.flatMap(({ at }, index) =>
    at === 'done' || at === 'dead' || (index === relay && at === 'idle') ? [] : [index],
  );
  const crashed =
    state.crashesLeft > 0
      ? alive.map(index =>
          withActor({ ...state, crashesLeft: state.crashesLeft - 1 }, index, {
            at: index === relay ? 'idle' : 'dead',
          }),
        )
      : [];
  const ended = state.holder !== nobody && !state.over ? [{ ...state, over: true }] : [];
  return [...next, ...crashed, ...ended];
};

const problemWith = (state: State, isEnd: boolean): string | undefined => {
  const inOrder = state.queues.every(content => content.every((entry, i) => entry === i + 1));
  if (!inOrder) return `a queue holds ${JSON.stringify(state.queues)}`;
  if (state.queues.some(({ length }) => length > state.last)) return 'a queue holds what was not committed';
  if (state.queues.some(({ length }) => length < state.published))
    return `the head says ${state.published}, the queues hold ${JSON.stringify(state.queues)}`;
  return isEnd && state.published < state.last ? 'the end is reached with an entry unsent' : undefined;
};

const actorKey = (state: State, index: number, order: readonly number[]): string => {
  const { at, own, next, upTo, lacking, seen } = state.actors[index] ?? idle;
  const holds = state.holder === index ? 'h' : '';
  const queuesLeft = order.filter(queue => lacking.includes(queue)).map(queue => order.indexOf(queue));
  return `${at}${own}${next}${upTo}${holds}${queuesLeft.join('')}${seen.last}${seen.published}${seen.free ? 'f' : ''}`;
};

/** Names a state. Queues are interchangeable, and so are publishers: states that differ only in their names are the same. */
const keyOf = (state: State): string => {
  const { last, published, over, crashesLeft, refusalsLeft } = state;
  const named = [queues, [1, 0]].map(order => {
    const publishers = [actorKey(state, 0, order), actorKey(state, 1, order)].sort();
    const contents = order.map(queue => state.queues[queue]?.join(''));
    return [...publishers, actorKey(state, relay, order), ...contents].join('|');
  });
  const min = named.sort()[0] ?? '';
  return `${min}|${last}${published}${over ? 'o' : ''}${crashesLeft}${refusalsLeft}`;
};

export interface Exploration {
  readonly states: number;
  readonly problem: string | undefined;
}

/** Visits every state that any interleaving can reach, up to the first that is wrong. */
export const explore = (variant: ModelVariant = { name: 'the service' }): Exploration => {
  const seen = new Set([keyOf(start)]);
  const left = [start];
  for (let state = left.pop(); state !== undefined; state = left.pop()) {
    const next = successors(state, variant);
    const problem = problemWith(state, next.length === 0);
    if (problem !== undefined) return { states: seen.size, problem };
    for (const one of next) {
      const key = keyOf(one);
      if (seen.has(key)) continue;
      seen.add(key);
      left.push(one);
    }
  }
  return { states: seen.size, problem: undefined };
};
