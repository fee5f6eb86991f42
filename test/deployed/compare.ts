import assert from 'node:assert/strict';
import { routes } from '../../lib/contract/routes.ts';
import { startService, temporaryFolder } from '../support/service-process.ts';
import { comparedElsewhere, knownDifferences, type Side, sameRequests } from './requests.ts';
import { tokenOf } from './tokens.ts';
import type { Run, World } from './world.ts';

/** What is another each time, or belongs to the server and not to the service. */
const ignoredHeaders = new Set(
  [
    'date',
    'connection',
    'keep-alive',
    'content-length',
    'transfer-encoding',
    'server',
    'vary',
  ].concat(['x-amzn-requestid', 'x-amz-request-id', 'x-amz-id-2']),
);
const othersEachTime = new Set(['x-request-id', 'etag']);

/** Where the portal has no domain of its own, its paths begin with a stage. */
const withoutStage = (text: string, { portalUrl }: Side): string => {
  const { pathname } = new URL(portalUrl);
  if (pathname === '/') return text;
  return text.replaceAll(`"${pathname}"`, '""').replaceAll(`${pathname}/`, '/');
};

const normalised = (given: string, side: Side): string =>
  [
    [side.baseUrl, '{base_url}'],
    [new URL(side.baseUrl).origin, '{origin}'],
    [side.portalUrl, '{portal_url}'],
    [new URL(side.portalUrl).origin, '{portal_origin}'],
    [side.workspace, '{w}'],
    [side.producer.client_id, '{producer}'],
    [side.consumer.client_id, '{consumer}'],
  ]
    .reduce((changed, [from = '', to = '']) => changed.replaceAll(from, to), given)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
    .replaceAll(/eyJ[\w.-]+/g, '{token}')
    .replaceAll(/"(x|y|kid|request_id)":"[^"]+"/g, '"$1":"…"');

interface Compared {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const answerOf = async (
  side: Side,
  send: (typeof sameRequests)[number]['request'],
): Promise<Compared> => {
  const { url, body, ...init } = send(side);
  const response = await fetch(url, {
    ...init,
    // Otherwise Node asks for other codings of a server with TLS.
    headers: { 'accept-encoding': 'identity', ...init.headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: body as string }),
  });
  const headers = [...response.headers].filter(([name]) => !ignoredHeaders.has(name));
  return {
    status: response.status,
    headers: new Map(
      headers.map(([name, value]) => [
        name,
        othersEachTime.has(name) ? '…' : normalised(value, side),
      ]),
    ),
    body: withoutStage(normalised(await response.text(), side), side),
  };
};

const differencesOf = (deployed: Compared, local: Compared): readonly string[] => {
  const names = new Set([...deployed.headers.keys(), ...local.headers.keys()]);
  const ofHeaders = [...names].flatMap(name => {
    const [there, here] = [deployed.headers.get(name), local.headers.get(name)];
    return there === here ? [] : [`header ${name}: ${there} there, ${here} here`];
  });
  return [
    ...(deployed.status === local.status
      ? []
      : [`status ${deployed.status} there, ${local.status} here`]),
    ...ofHeaders,
    ...(deployed.body === local.body
      ? []
      : [`body there ${deployed.body.slice(0, 300)}\n      here ${local.body.slice(0, 300)}`]),
  ];
};

const withTokens = async (side: Omit<Side, 'tokens'>): Promise<Side> => ({
  ...side,
  tokens: {
    producer: `Bearer ${await tokenOf(side.baseUrl, side.producer)}`,
    consumer: `Bearer ${await tokenOf(side.baseUrl, side.consumer)}`,
  },
});

/** The same requests to the deployed service and to the local one. */
export const sameAsLocal = async (run: Run, world: World): Promise<void> => {
  const { checks } = run;
  checks.step('The same requests here and there');
  await checks.check('every route has a request', () => {
    const asked = new Set<string>(
      sameRequests.flatMap(({ route }) => route ?? []).concat(comparedElsewhere),
    );
    assert.deepEqual(
      Object.keys(routes).filter(route => !asked.has(route)),
      [],
    );
  });
  const data = temporaryFolder();
  const service = await startService(data.path);
  try {
    const { ready } = service;
    const deployed = await withTokens({ name: 'deployed', ...world });
    const local = await withTokens({
      name: 'local',
      baseUrl: ready.base_url,
      portalUrl: ready.portal_url,
      workspace: ready.workspace,
      producer: ready.producer,
      consumer: ready.consumer,
    });
    const needed = new Set<string>();
    for (const { name, request } of sameRequests)
      await checks.check(`${name}: the same`, async () => {
        const [there, here] = [await answerOf(deployed, request), await answerOf(local, request)];
        const found = differencesOf(there, here);
        const unknown = found.filter(difference => {
          const known = knownDifferences.find(
            row => [name, '*'].includes(row.of) && difference.startsWith(row.what),
          );
          if (known) {
            needed.add(known.what);
            checks.count('known differences');
          }
          return !known;
        });
        checks.count('requests compared');
        assert.deepEqual(unknown, []);
      });
    await checks.check('every known difference is there', () => {
      const gone = knownDifferences.filter(({ what }) => !needed.has(what));
      assert.deepEqual(gone, []);
    });
  } finally {
    await service.stop();
    data.remove();
  }
};
