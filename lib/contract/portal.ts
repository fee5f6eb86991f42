import { workCalls } from './work-calls.ts';

export const portalErrors = {
  'session.required': {
    status: 401,
    message: 'You are not signed in, or your session has ended. Sign in again.',
  },
  'session.busy': { status: 429, message: 'Too many requests in a short time.' },
  'sign_in.failed': {
    status: 400,
    message:
      'You could not be signed in: the response of the identity provider is not for this browser, or is too old. Start again.',
  },
  'request.foreign': { status: 403, message: 'Only the pages of the portal itself may call this URL.' },
  'request.invalid': {
    status: 400,
    message: 'The request is not in the form that this URL expects.',
  },
  'access.denied': { status: 403, message: 'Your role does not permit this.' },
  'portal.not_found': { status: 404, message: 'This does not exist, or you have no access to it.' },
  'portal.declined': { status: 409, message: 'This is not possible in its current state.' },
  'limit.reached': { status: 409, message: 'The limit for these is reached.' },
  'portal.changed': {
    status: 409,
    message:
      'Somebody else changed this in the meantime, and your change was not made: check the current state first.',
  },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type PortalError = keyof typeof portalErrors;

/** What a member of an organisation may do: each role may do what the ones before it may. */
export const roles = ['viewer', 'editor', 'owner'] as const;

export type Role = (typeof roles)[number];

export const isRole = (text: string): text is Role => roles.some(role => role === text);

export const includesRole = (role: Role | undefined, wanted: Role): boolean =>
  role !== undefined && roles.indexOf(role) >= roles.indexOf(wanted);

/** Who a person is to what a call is about; all of it is absent for somebody who has nothing to do with it. */
export interface Standing {
  readonly own?: Role;
  readonly invited?: Role;
  readonly operator?: true;
}

/** Who may make a call: anybody, anybody who is signed in, or whoever has one of these standings. */
export type Access =
  | 'anybody'
  | 'person'
  | { readonly own?: Role; readonly invited?: Role; readonly operator?: true };

export const portalGroups = [
  'sign',
  'organisation',
  'workspace',
  'connection',
  'queue',
  'skill',
  'check',
  'validate',
  'alert',
  'operator',
] as const;

export type PortalGroup = (typeof portalGroups)[number];

/** A call of the portal's pages. It is no supported API. */
export interface PortalCall {
  readonly group: PortalGroup;
  readonly method: 'GET' | 'POST';
  /** Below `/api/<group>/`: `{o}` is an organisation, `{w}` a workspace, `{c}` a connection. */
  readonly path: string;
  readonly access: Access;
  /** Of a list: what `next` of a page goes back as. Pages have at most 200 entries and 256 KiB. */
  readonly page?: 'after' | 'before';
}

const anybody = 'anybody';
const person = 'person';
const operator = { operator: true } as const;
const seen = { own: 'viewer', operator: true } as const;
const owner = { own: 'owner' } as const;

export const portalCalls = {
  'sign.in': { group: 'sign', method: 'GET', path: 'in', access: anybody },
  'sign.back': { group: 'sign', method: 'GET', path: 'back', access: anybody },
  'sign.session': { group: 'sign', method: 'GET', path: 'session', access: person },
  'sign.out': { group: 'sign', method: 'POST', path: 'out', access: person },
  'organisation.request': { group: 'organisation', method: 'POST', path: 'request', access: person },
  'organisation.requests': {
    group: 'organisation',
    method: 'GET',
    path: 'requests',
    page: 'after',
    access: person,
  },
  'organisation.invitation': { group: 'organisation', method: 'POST', path: 'invitation', access: person },
  'organisation.join': { group: 'organisation', method: 'POST', path: 'join', access: person },
  'organisation.show': { group: 'organisation', method: 'GET', path: '{o}', page: 'after', access: seen },
  'organisation.members': {
    group: 'organisation',
    method: 'GET',
    path: '{o}/members',
    page: 'after',
    access: { own: 'viewer' },
  },
  'organisation.changes': {
    group: 'organisation',
    method: 'GET',
    path: '{o}/changes',
    page: 'before',
    access: seen,
  },
  'organisation.keepRefused': {
    group: 'organisation',
    method: 'POST',
    path: '{o}/refused/keep',
    access: owner,
  },
  'organisation.addWorkspace': {
    group: 'organisation',
    method: 'POST',
    path: '{o}/workspaces/add',
    access: owner,
  },
  'organisation.setRole': { group: 'organisation', method: 'POST', path: '{o}/members/role', access: owner },
  'organisation.removeMember': {
    group: 'organisation',
    method: 'POST',
    path: '{o}/members/remove',
    access: owner,
  },
  'organisation.invitations': {
    group: 'organisation',
    method: 'GET',
    path: '{o}/invitations',
    page: 'after',
    access: { own: 'viewer' },
  },
  'organisation.withdrawInvitation': {
    group: 'organisation',
    method: 'POST',
    path: '{o}/invitations/withdraw',
    access: owner,
  },
  'organisation.inviteMember': {
    group: 'organisation',
    method: 'POST',
    path: '{o}/members/invite',
    access: owner,
  },
  'workspace.show': {
    group: 'workspace',
    method: 'GET',
    path: '{w}',
    page: 'after',
    access: { own: 'viewer', invited: 'viewer', operator: true },
  },
  'workspace.activity': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/activity',
    page: 'before',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.message': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/messages/{m}',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.story': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/story',
    page: 'after',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.stories': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/stories',
    page: 'before',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.content': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/messages/{m}/content',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.search': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/search',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.overview': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/overview',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.volume': {
    group: 'workspace',
    method: 'GET',
    path: '{w}/volume',
    access: { own: 'viewer', invited: 'viewer' },
  },
  'workspace.inviteVendor': { group: 'workspace', method: 'POST', path: '{w}/vendors/invite', access: owner },
  ...workCalls,
  'operator.organisations': {
    group: 'operator',
    method: 'GET',
    path: 'organisations',
    page: 'after',
    access: operator,
  },
  'operator.approve': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/approve',
    access: operator,
  },
  'operator.allot': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/quota',
    access: operator,
  },
  'operator.raise': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/limit',
    access: operator,
  },
  'operator.decline': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/decline',
    access: operator,
  },
  'operator.suspend': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/suspend',
    access: operator,
  },
  'operator.resume': {
    group: 'operator',
    method: 'POST',
    path: 'organisations/{o}/resume',
    access: operator,
  },
} as const satisfies Record<string, PortalCall>;

/** Where a sign-in begins: limited per address. */
export const signInPath = `/api/sign/${portalCalls['sign.in'].path}` as const;

export type PortalCallId = keyof typeof portalCalls;

/** Whether somebody may make a call; undefined stands for somebody who is not signed in. */
export const mayCall = (access: Access, standing: Standing | undefined): boolean => {
  if (access === 'anybody') return true;
  if (standing === undefined) return false;
  if (access === 'person') return true;
  return (
    (access.own !== undefined && includesRole(standing.own, access.own)) ||
    (access.invited !== undefined && includesRole(standing.invited, access.invited)) ||
    (access.operator === true && standing.operator === true)
  );
};
