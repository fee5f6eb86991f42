import { webKeySets } from '../../../lib/bus/tokens/key-sets.fetch.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { provider } from './tokens.ts';

const set = () => {
  const clock = frozenClock();
  const source = {
    kids: ['one'] as string[] | undefined,
    text: undefined as string | undefined,
    fetches: 0,
  };
  const keySets = webKeySets(async () => {
    source.fetches += 1;
    if (!source.kids) throw new Error('unreachable');
    return Buffer.from(source.text ?? JSON.stringify({ keys: source.kids.map(kid => ({ kid })) }));
  }, clock);
  const kids = async (kid?: string) => (await keySets.keysOf(provider, kid)).map(key => key['kid']);
  return { clock, source, kids };
};

describe('the keys of an identity provider', () => {
  test('are fetched once in five minutes, no matter how many callers ask at once', async () => {
    const { clock, source, kids } = set();
    await Promise.all([kids('one'), kids('one'), kids('one')]);
    clock.advance(299_999);
    expect(await kids('one')).toEqual(['one']);
    expect(source.fetches).toBe(1);
    clock.advance(1);
    await kids('one');
    expect(source.fetches).toBe(2);
  });

  test('are fetched again for an unknown kid, at most every 30 seconds', async () => {
    const { clock, source, kids } = set();
    await kids('one');
    source.kids = ['one', 'two'];
    clock.advance(29_999);
    expect(await kids('two')).toEqual(['one']);
    expect(source.fetches).toBe(1);
    clock.advance(1);
    expect(await kids('two')).toEqual(['one', 'two']);
    await Promise.all(['three', 'four', 'five'].map(kid => kids(kid)));
    expect(source.fetches).toBe(2);
    clock.advance(30_000);
    await Promise.all(['three', 'four', 'five'].map(kid => kids(kid)));
    expect(source.fetches).toBe(3);
  });

  test('are fetched again 30 seconds after a failed fetch, and not before', async () => {
    const { clock, source, kids } = set();
    source.kids = undefined;
    await expect(kids('one')).rejects.toThrow('unreachable');
    await expect(kids('one')).rejects.toThrow('unreachable');
    expect(source.fetches).toBe(1);
    source.kids = ['one'];
    clock.advance(30_000);
    expect(await kids('one')).toEqual(['one']);
  });

  test('stay for their five minutes while the set cannot be fetched, whatever kid a token names meanwhile', async () => {
    const { clock, source, kids } = set();
    await kids('one');
    source.kids = undefined;
    clock.advance(60_000);
    await expect(kids('forged')).rejects.toThrow('unreachable');
    expect(await kids('one')).toEqual(['one']);
    await expect(kids('forged')).rejects.toThrow('unreachable');
    expect(source.fetches).toBe(2);
    clock.advance(239_999);
    expect(await kids('one')).toEqual(['one']);
    clock.advance(1);
    await expect(kids('one')).rejects.toThrow('unreachable');
  });

  test.each(['', '[]', '{"keys":{}}', '{"keys":[],"keys":[]}', 'null'])(
    'are not in %j',
    async text => {
      const { source, kids } = set();
      source.text = text;
      await expect(kids('one')).rejects.toThrow(/is no JSON object with a list of keys/);
    },
  );

  test('are the objects of the list', async () => {
    const { source, kids } = set();
    source.text = '{"keys":[null,1,"x",[],{"kid":"one"}]}';
    expect(await kids('one')).toEqual(['one']);
  });
});
