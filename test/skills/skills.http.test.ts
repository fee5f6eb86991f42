import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpRequest } from '../../lib/platform/http/request.ts';
import {
  registrationsEdge,
  skillLibraryEdge,
  skillValidateEdge,
} from '../../lib/skills/skills.http.ts';
import { connectionOf } from '../corpus/connections.ts';
import { registryOver } from '../support/fakes/registry.ts';
import { sealsInMemory } from '../support/fakes/seals.ts';
import { frozenClock } from '../support/identity-fakes.ts';

const settings = { origin: 'http://127.0.0.1' };
const library = skillLibraryEdge({}, settings);
const validate = skillValidateEdge({}, settings);

const request = (change: Partial<HttpRequest> = {}): HttpRequest => ({
  requestId: 'r',
  headers: {},
  pathParameters: {},
  query: {},
  body: new Uint8Array(),
  ...change,
});

describe('GET /api/skills/library', () => {
  test('may be cached for five minutes, by any page', async () => {
    const { status, headers } = await library(request());
    expect(status).toBe(200);
    expect(headers).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
      'cache-control': 'public, max-age=300',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
  });

  test.each<[string, (etag: string) => string]>([
    ['the tag', etag => etag],
    ['the tag, weak', etag => `W/${etag}`],
    ['a list with the tag', etag => `"a", W/"b,c" ,${etag}`],
    ['any tag', () => ' * '],
  ])('is 304 without a body when If-None-Match has %s', async (_title, header) => {
    const first = await library(request());
    const response = await library(
      request({ headers: { 'if-none-match': header(first.headers['etag'] ?? '') } }),
    );
    expect(response).toMatchObject({ status: 304, body: undefined, headers: first.headers });
  });

  test.each(['"other"', '', 'W/"other"', '*"'])('is 200 when If-None-Match is %j', async tag => {
    expect((await library(request({ headers: { 'if-none-match': tag } }))).status).toBe(200);
  });

  test('is 404 for a version that is not carried, regardless of If-None-Match', async () => {
    const response = await library(
      request({ query: { version: '9.9.9' }, headers: { 'if-none-match': '*' } }),
    );
    expect(response).toMatchObject({
      status: 404,
      body: { code: 'skills.version_unknown', message: expect.stringContaining('"9.9.9"') },
      headers: { 'access-control-allow-origin': '*' },
      log: { rule: 'skills.version_unknown' },
    });
  });
});

describe('POST /api/skills/validate', () => {
  const post = (body: string, contentType?: string) =>
    validate(
      request({
        body: Buffer.from(body),
        headers: contentType === undefined ? {} : { 'content-type': contentType },
      }),
    );

  test('is 200 whether or not the instances are valid, and logs nothing of them', async () => {
    const response = await post(
      'skills: [{instance_label: mine}]',
      'application/yaml; charset=utf-8',
    );
    expect(response).toMatchObject({
      status: 200,
      body: {
        valid: false,
        library_version: '0.2.2',
        checked: 'yaml',
        instances: [
          {
            index: 0,
            instance_label: 'mine',
            skill_id: '',
            valid: false,
            problems: [expect.stringContaining('skill_id is missing')],
          },
        ],
        problems: [],
      },
      headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
      log: {},
    });
  });

  test('is 400 when the body cannot be read', async () => {
    expect(await post('', 'application/json')).toMatchObject({
      status: 400,
      body: { code: 'skills.unreadable', message: 'There is nothing to read: the body is empty.' },
      log: { rule: 'skills.unreadable' },
    });
  });
});

test('an executor sees how its instances are configured, and which are paused', async () => {
  const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
  const instance = {
    skill_id: 'smart-stories/gate-by-scope',
    skill_version: '0.2.2',
    instance_label: 'gate',
    values: { scope: 'destination-path' },
    authority_scale: ['chief', 'desk'],
  };
  const stored = { ...instance, connection: consumer.id, createdAt: '2026-05-04T09:00:00Z' };
  const serve = registrationsEdge(
    {
      clock: frozenClock(0),
      registry: registryOver({ connections: () => [consumer] }),
      skills: {
        page: async () => ({
          entries: [
            { ...stored, id: 'r1', paused: true },
            { ...stored, id: 'r2', paused: false },
          ],
        }),
      },
      seals: sealsInMemory,
      testRuns: { note: async () => undefined },
    },
    settings,
  );
  const caller = { connection: consumer.id, workspace: consumer.workspace };
  const response = await serve(
    request({ caller, pathParameters: { t: consumer.workspace, c: consumer.id } }),
  );
  expect(response).toMatchObject({
    status: 200,
    log: { connection: consumer.id, workspace: consumer.workspace },
  });
  expect(JSON.parse(String(response.body))).toEqual({
    registrations: [
      { registration_id: 'r1', ...instance, paused: true },
      { registration_id: 'r2', ...instance, paused: false },
    ],
  });
});

describe('the registrations of an executor', () => {
  const ofRun = { underTest: 't222222222222' };
  const one = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
  const other = { ...connectionOf('ccccccccccccc', 'consumer', 'waaaaaaaaaaaa'), ...ofRun };

  const edge = () => {
    const asked: unknown[] = [];
    const serve = registrationsEdge(
      {
        clock: frozenClock(7_000),
        registry: registryOver({ connections: () => [one, other] }),
        skills: {
          page: async (...given) => {
            asked.push(['page', ...given]);
            return { entries: [], next: 'label-7' };
          },
        },
        seals: sealsInMemory,
        testRuns: {
          note: async (...given) => {
            await nextTurn();
            asked.push(['note', ...given]);
          },
        },
      },
      settings,
    );
    const get = async ({ id, workspace }: typeof one, query: Record<string, string> = {}) => {
      const caller = { connection: id, workspace };
      const pathParameters = { t: workspace, c: id };
      const { status, body } = await serve(request({ caller, pathParameters, query }));
      const text = body instanceof Uint8Array ? JSON.parse(String(body)) : body;
      return { status, body: text };
    };
    return { asked, get };
  };

  test('come in pages of 200, of which each says where the next one begins', async () => {
    const { asked, get } = edge();
    const first = await get(one);
    expect(first).toEqual({ status: 200, body: { registrations: [], next: expect.any(String) } });
    expect(first.body.next).not.toContain('label-7');
    expect((await get(one, { after: first.body.next })).status).toBe(200);
    expect(asked).toEqual([
      ['page', one.id, { max: 200 }],
      ['page', one.id, { after: 'label-7', max: 200 }],
    ]);
  });

  test('pull.invalid_parameter: a place in the list of another one is none in this', async () => {
    const { asked, get } = edge();
    const { body } = await get(one);
    asked.length = 0;
    for (const after of [body.next, 'label-7', ''])
      expect(await get(other, { after })).toEqual({
        status: 400,
        body: {
          accepted: false,
          violations: [
            {
              rule: 'pull.invalid_parameter',
              source: 'policy',
              message: 'after must be what an earlier page of this list gave as next, unchanged.',
            },
          ],
        },
      });
    expect(asked).not.toContainEqual(expect.arrayContaining(['page']));
  });

  test('are noted before a run of checks gets them', async () => {
    const { asked, get } = edge();
    await get(other);
    expect(asked).toEqual([
      ['note', 't222222222222', { kind: 'registrations', at: 7_000 }],
      ['page', other.id, { max: 200 }],
    ]);
  });
});
