import assert from 'node:assert/strict';
import { STSClient } from '@aws-sdk/client-sts';
import {
  type PortalCall,
  type PortalCallId,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import { callJson, type JsonService } from '../../lib/platform/aws/json-call.ts';
import { Browser } from '../portal/browser.ts';
import { region } from './tools.ts';
import type { World } from './world.ts';

/** Who the table of calls tells apart, and somebody with no organisation. */
export const people = [
  'viewer',
  'editor',
  'owner',
  'invited viewer',
  'invited editor',
  'invited owner',
  'operator',
  'nobody',
] as const;

export type PersonName = (typeof people)[number];

export const isGuest = (person: PersonName): boolean => person.startsWith('invited');

/** Of the operator that the runbook lets in, and of the others. */
const emailOf = (person: PersonName): string =>
  person === 'operator' ? 'you@example.org' : `${person.replace(' ', '.')}@example.org`;

const password = 'Correct-Horse-9-battery';

/** Calls a service as the account's root user. */
export const asRoot = async (
  service: JsonService,
  operation: string,
  input: object,
): Promise<unknown> => {
  const { config } = new STSClient({ region });
  return callJson(config, { service, operation, input }, {});
};

/** Gives somebody an account with a password, as if they had taken the one of their invitation. */
const giveAccount = async ({ poolId: UserPoolId }: World, person: PersonName): Promise<void> => {
  const Username = emailOf(person);
  const UserAttributes = [
    { Name: 'email', Value: Username },
    { Name: 'email_verified', Value: 'true' },
    { Name: 'name', Value: person },
  ];
  const user = { UserPoolId, Username };
  if (person !== 'operator')
    await asRoot('cognito-idp', 'AdminCreateUser', {
      ...user,
      UserAttributes,
      MessageAction: 'SUPPRESS',
    });
  await asRoot('cognito-idp', 'AdminSetUserPassword', {
    ...user,
    Password: password,
    Permanent: true,
  });
};

const fieldsIn = (page: string): Map<string, string> =>
  new Map(
    [...page.matchAll(/<input[^>]*?name="([^"]+)"[^>]*>/g)].map(([field, name = '']) => {
      const [, value = ''] = /value="([^"]*)"/.exec(field) ?? [];
      return [name, value.replaceAll('&amp;', '&').replaceAll('&#x27;', "'")];
    }),
  );

/** Signs somebody in as a browser does: from the portal to Cognito's page, and back. */
const signIn = async ({ portalUrl }: World, person: PersonName): Promise<Browser> => {
  const browser = new Browser();
  let { urls, response } = await browser.go(`${portalUrl}/api/sign/in`);
  // A page for the name, one for the password, or one for both.
  for (let page = 0; page < 3; page += 1) {
    const url = urls.at(-1) ?? '';
    if (url.startsWith(portalUrl)) break;
    const text = await response.text();
    const fields = fieldsIn(text);
    assert.ok(fields.size > 0, `Cognito showed no form at ${url}: ${text.slice(0, 300)}`);
    if (fields.has('username')) fields.set('username', emailOf(person));
    if (fields.has('password')) fields.set('password', password);
    const [, action = '/login'] = /action="([^"]+)"/.exec(text) ?? [];
    const sent = await browser.request(new URL(action, url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams([...fields]).toString(),
    });
    const location = sent.headers.get('location');
    if (location === null) {
      urls = [url];
      response = sent;
      continue;
    }
    ({ urls, response } = await browser.go(new URL(location, url).href));
  }
  assert.match(
    urls.at(-1) ?? '',
    new RegExp(`^${portalUrl}/`),
    `${person} did not come back to the portal`,
  );
  assert.doesNotMatch(urls.at(-1) ?? '', /failed/);
  return browser;
};

export interface Asked {
  readonly subject?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the rows say what they expect of it
  readonly body: any;
}

const pathOf = (path: string, names: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w)\}/g, (_, name: string) => names[name] ?? '');

/**
 * Makes calls as the portal's pages do. A session that has asked too often is left for a new one.
 */
const callsOf = (world: World, person: PersonName) => {
  const { portalUrl } = world;
  let signedIn = signIn(world, person);
  const ask = async (
    id: PortalCallId,
    { subject = {}, body = {}, query = {} }: Asked,
  ): Promise<Response> => {
    const { method, path }: PortalCall = portalCalls[id];
    const search = new URLSearchParams(query).toString();
    const url = `${portalUrl}/api/${pathOf(path, subject)}${search === '' ? '' : `?${search}`}`;
    const posted = method === 'POST' ? { body: JSON.stringify(body) } : {};
    const headers = {
      'x-sombus-portal': '1',
      'sec-fetch-site': 'same-origin',
      ...(method === 'POST'
        ? { origin: new URL(portalUrl).origin, 'content-type': 'application/json' }
        : {}),
    };
    return (await signedIn).request(url, { method, headers, ...posted });
  };
  return async (id: PortalCallId, asked: Asked = {}): Promise<Answered> => {
    let response = await ask(id, asked);
    while (response.status === 429) {
      signedIn = signIn(world, person);
      response = await ask(id, asked);
    }
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
};

export type PersonCalls = ReturnType<typeof callsOf>;

/** What a call that must work answered. */
export const worked = async (answering: Promise<Answered>): Promise<Answered['body']> => {
  const { status, body } = await answering;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

/** People of a house, of its vendor and of neither, signed in at the portal. */
export interface Scene {
  readonly world: World;
  readonly as: (person: PersonName) => PersonCalls;
  readonly house: string;
  readonly vendor: string;
  readonly workspace: string;
}

/**
 * Everybody gets an account and signs in; then what people do by themselves: the house is asked for
 * and approved, its people and the vendor join by invitations.
 */
export const openScene = async (world: World): Promise<Scene> => {
  const calls = new Map<PersonName, PersonCalls>();
  for (const person of people) {
    await giveAccount(world, person);
    calls.set(person, callsOf(world, person));
  }
  const as = (person: PersonName): PersonCalls => {
    const found = calls.get(person);
    if (!found) throw new Error(`${person} has no account.`);
    return found;
  };
  const request = { name: 'House of scenes', type: 'house' };
  const { organisation_id: house } = await worked(
    as('owner')('organisation.request', { body: request }),
  );
  const approve = { subject: { o: house }, body: { tier: 'standard' } };
  await worked(as('operator')('operator.approve', approve));
  const { id: workspace } = await worked(
    as('owner')('organisation.addWorkspace', { subject: { o: house }, body: { name: 'Scenes' } }),
  );
  for (const role of ['viewer', 'editor'] as const) {
    const { invitation } = await worked(
      as('owner')('organisation.inviteMember', { subject: { o: house }, body: { role } }),
    );
    await worked(as(role)('organisation.join', { body: { invitation } }));
  }
  const terms = { producers: true, consumers: true, grants: ['link.*'], receives: ['link.*'] };
  const vendorTerms = { ...terms, kinds: ['producer', 'consumer'] };
  const { invitation } = await worked(
    as('owner')('workspace.inviteVendor', { subject: { w: workspace }, body: vendorTerms }),
  );
  const { organisation_id: vendor } = await worked(
    as('invited owner')('organisation.join', {
      body: { invitation, new_vendor: 'Vendor of scenes' },
    }),
  );
  for (const role of ['viewer', 'editor'] as const) {
    const invited = await worked(
      as('invited owner')('organisation.inviteMember', { subject: { o: vendor }, body: { role } }),
    );
    await worked(
      as(`invited ${role}`)('organisation.join', { body: { invitation: invited.invitation } }),
    );
  }
  // More of each are made here than a vendor needs.
  for (const limit of ['connections', 'alerts']) {
    const body = { limit, max: 200, workspace_id: workspace };
    await worked(as('operator')('operator.raise', { subject: { o: vendor }, body }));
  }
  return { world, as, house, vendor, workspace };
};
