import type { Connection } from '../../../lib/access/registry/connection.ts';
import {
  answersChallenge,
  challengeBytes,
  challengeText,
  type Principal,
  storedChallenge,
  verifiedElsewhere,
  verifiedRolesOf,
} from '../../../lib/access/trust/principals.ts';
import { connection } from '../../bus/tokens/tokens.ts';

const now = 1_000_000;
const minutes = 60_000;
const pending: Principal = {
  id: 'paaaaaaaaaaaa',
  scope: connection.workspace,
  connection: connection.id,
  roleArn: 'arn:aws:iam::123456789012:role/demo',
  status: 'pending',
  challenge: storedChallenge('sbc_right', now),
  createdAt: '2026-05-04T08:00:00.000Z',
};
const verified: Principal = { ...pending, status: 'verified' };

test('a challenge is 256 random bits in letters that every shell takes', () => {
  expect(challengeBytes).toBe(32);
  expect(challengeText(Uint8Array.of(0xfb, 0xff, 0xfe, 0))).toBe('sbc_-__-AA');
});

test('a challenge is stored as its hash (SHA-256), and until when it may be answered', () => {
  // The example of FIPS 180-4.
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(storedChallenge('abc', now)).toEqual({
    hash: Buffer.from(digest, 'hex').toString('base64url'),
    until: now + 15 * minutes,
  });
});

test('a challenge is answered by its text, for 15 minutes', () => {
  expect(answersChallenge(pending, 'sbc_right', now)).toBe(true);
  expect(answersChallenge(pending, 'sbc_right', now + 15 * minutes - 1)).toBe(true);
  expect(answersChallenge(pending, 'sbc_right', now + 15 * minutes)).toBe(false);
  expect(answersChallenge(pending, 'sbc_wrong', now)).toBe(false);
});

test('an interrupted verification can be answered again; what is revoked or used up cannot', () => {
  expect(answersChallenge(verified, 'sbc_right', now)).toBe(true);
  expect(answersChallenge({ ...pending, status: 'revoked' }, 'sbc_right', now)).toBe(false);
  const { challenge: _, ...used } = verified;
  expect(answersChallenge(used, 'sbc_right', now)).toBe(false);
});

test('the verified roles of a connection are those, in the order of their ARNs', () => {
  const all = [
    { ...verified, roleArn: 'c' },
    { ...verified, roleArn: 'a' },
    { ...verified, roleArn: 'b', connection: 'cbbbbbbbbbbbb' },
    { ...pending, roleArn: 'd' },
  ];
  expect(verifiedRolesOf(all, connection.id)).toEqual(['a', 'c']);
});

describe('a role acts elsewhere', () => {
  const onOther: Principal = { ...verified, id: 'pbbbbbbbbbbbb', connection: 'cbbbbbbbbbbbb' };
  /** What is found, and which connections were asked for. */
  const found = async (
    all: readonly Principal[],
    of: Partial<Connection> | undefined = {},
  ): Promise<[string | undefined, string[]]> => {
    const asked: string[] = [];
    const one = await verifiedElsewhere(all, connection.id, async id => {
      asked.push(id);
      return { ...connection, id, ...of };
    });
    return [one?.id, asked];
  };

  test('on another producer on which it is verified, the first of them', async () => {
    const third = { ...onOther, id: 'pcccccccccccc' };
    const all = [verified, { ...onOther, status: 'pending' } as const, onOther, third];
    expect(await found(all)).toEqual(['pbbbbbbbbbbbb', ['cbbbbbbbbbbbb']]);
  });

  test.each<[string, Principal, Partial<Connection>, number]>([
    ['its own connection', verified, {}, 0],
    ['one where it has not answered', { ...onOther, status: 'pending' }, {}, 0],
    ['a consumer', onOther, { kind: 'consumer' }, 1],
    ['a revoked producer', onOther, { status: 'revoked' }, 1],
  ])('but not on %s', async (_, principal, of, looks) => {
    const [id, asked] = await found([principal], of);
    expect([id, asked.length]).toEqual([undefined, looks]);
  });

  test('but not on a connection that is gone', async () => {
    const find = async () => undefined;
    expect(await verifiedElsewhere([onOther], connection.id, find)).toBeUndefined();
  });
});
