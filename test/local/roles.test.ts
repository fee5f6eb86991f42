import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  accessKeyRecord,
  checkAccessKeys,
  createLocalRole,
  demoRole,
  localAccessKeys,
  operatorKeyIn,
  sessionArn,
} from '../../lib/local/roles.ts';
import { seed } from '../../lib/local/seed.ts';
import { registryHere } from '../support/registry-here.ts';
import { temporaryFolder } from '../support/service-process.ts';

const here = registryHere();
const scratch = temporaryFolder();
afterAll(scratch.remove);

const folder = () => mkdtempSync(join(scratch.path, 'data-'));
const role = { name: 'sender', path: '/team/newsroom/' };
const keyFile = (data: string, id: string) => join(data, 'roles', `${id}.json`);
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('a local role', () => {
  test('has credentials in the form of AWS’s temporary ones, readable only by their owner', () => {
    const data = folder();
    const key = createLocalRole(data, role);
    expect(key).toEqual({
      roleArn: 'arn:aws:iam::000000000000:role/team/newsroom/sender',
      accessKeyId: expect.stringMatching(/^ASIA[A-Z2-7]{16}$/),
      secretAccessKey: expect.stringMatching(/^[\w+/]{40}$/),
      sessionToken: expect.stringMatching(/^[\w+/]{128}$/),
    });
    const file = keyFile(data, key.accessKeyId);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(key);
    expect([join(data, 'roles'), file].map(modeOf)).toEqual([0o700, 0o600]);
    expect(sessionArn(key)).toBe('arn:aws:sts::000000000000:assumed-role/sender/local');
    expect(accessKeyRecord(key)).toEqual({
      role_arn: key.roleArn,
      access_key_id: key.accessKeyId,
      secret_access_key: key.secretAccessKey,
      session_token: key.sessionToken,
    });
  });

  test('is found by its key’s id, as soon as it is made', () => {
    const data = folder();
    const find = localAccessKeys(data);
    const [one, other] = [createLocalRole(data, role), createLocalRole(data, role)];
    expect([one, other].map(({ accessKeyId }) => find(accessKeyId))).toEqual([one, other]);
    expect(find('ASIAAAAAAAAAAAAAAAAA')).toBeUndefined();
  });

  test.each(['../ROLES', `../roles/${'A'.repeat(20)}`, 'A'.repeat(15), 'A'.repeat(129)])(
    'is not looked for under %j, which is no id of a key',
    id => {
      const data = folder();
      const key = createLocalRole(data, role);
      if (!id.includes('/')) writeFileSync(keyFile(data, id), '{');
      else writeFileSync(keyFile(data, 'A'.repeat(20)), JSON.stringify(key));
      expect(localAccessKeys(data)(id)).toBeUndefined();
    },
  );
});

describe('the access keys of a data folder', () => {
  const whole = {
    accessKeyId: 'ASIAAAAAAAAAAAAAAAAA',
    secretAccessKey: 's',
    sessionToken: 't',
    roleArn: 'arn:aws:iam::000000000000:role/sender',
  };
  const withKey = (key: unknown) => {
    const data = folder();
    const { accessKeyId } = createLocalRole(data, role);
    const path = keyFile(data, whole.accessKeyId);
    writeFileSync(path, JSON.stringify(key) ?? '{');
    return { data, path, accessKeyId };
  };

  test('are checked, if there are any; what a crash left of a write is none', () => {
    expect(() => checkAccessKeys(folder())).not.toThrow();
    const { data } = withKey(whole);
    writeFileSync(`${keyFile(data, whole.accessKeyId)}.new`, '{');
    expect(() => checkAccessKeys(data)).not.toThrow();
    expect(localAccessKeys(data)(whole.accessKeyId)).toEqual(whole);
  });

  test.each<[string, unknown]>([
    ['no JSON', undefined],
    ['no object', 'ASIA'],
    ['the id of another file', { ...whole, accessKeyId: 'ASIABBBBBBBBBBBBBBBB' }],
    ['an id that no request can name', { ...whole, accessKeyId: 'A,IA' }],
    ['no id', { ...whole, accessKeyId: 7 }],
    ['no secret', { ...whole, secretAccessKey: undefined }],
    ['no token', { ...whole, sessionToken: undefined }],
    ['no role', { ...whole, roleArn: undefined }],
  ])('are damaged if one holds %s', (_, key) => {
    const { data, path } = withKey(key);
    const words = `The file ${path} is damaged`;
    expect(() => checkAccessKeys(data)).toThrow(words);
    expect(() => localAccessKeys(data)(whole.accessKeyId)).toThrow(words);
  });
});

describe('the role of the demo producer', () => {
  /** A data folder whose writes are noted among other events. */
  const set = (stored?: unknown) => {
    const events: string[] = [];
    const path = folder();
    const written: Record<string, object> = {};
    const open = {
      path,
      read: (name: string) => (name === 'demo-role.json' ? stored : undefined),
      write(name: string, value: object) {
        events.push(name);
        written[name] = value;
      },
    };
    const saved = async () => {
      await new Promise(resolve => setImmediate(resolve));
      events.push('saved');
    };
    return {
      events,
      path,
      written,
      open: open as unknown as Parameters<typeof demoRole>[0],
      saved,
    };
  };

  test('is registered and verified, and written down once that is on disk', async () => {
    const ports = here.ports();
    const made = await seed(ports);
    const { events, path, written, open, saved } = set();
    const principals = {
      ...ports.principals,
      async verify(...verified: Parameters<typeof ports.principals.verify>) {
        await saved();
        events.splice(0, events.length, 'verified');
        return ports.principals.verify(...verified);
      },
    };
    const key = await demoRole(open, { ...ports, principals }, { seed: made, saved });
    expect(key.roleArn).toBe('arn:aws:iam::000000000000:role/sombus/demo-producer');
    expect(localAccessKeys(path)(key.accessKeyId)).toEqual(key);
    expect(events).toEqual(['verified', 'saved', 'demo-role.json']);
    expect(written).toEqual({ 'demo-role.json': key });
    const now = new Date(here.clock.now()).toISOString();
    expect(await ports.principals.list(made.workspace)).toMatchObject([
      {
        roleArn: key.roleArn,
        connection: made.producer.client_id,
        status: 'verified',
        verifiedAt: now,
      },
    ]);
  });

  test('is the one that was made before', async () => {
    const made = createLocalRole(folder(), role);
    const { events, path, open, saved } = set(made);
    const unused = undefined as never;
    expect(await demoRole(open, unused, { seed: { producer: {} } as never, saved })).toEqual(made);
    expect([events, readdirSync(path)]).toEqual([[], []]);
  });
});

test('the operator key of a folder without one is asked for in words', () => {
  const data = folder();
  expect(existsSync(join(data, 'operator-key.json'))).toBe(false);
  expect(() => operatorKeyIn(data)).toThrow(
    `The operator key ${join(data, 'operator-key.json')} cannot be read: run the command as the user who started the service, or start the service again.`,
  );
});
