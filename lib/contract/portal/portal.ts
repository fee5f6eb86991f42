export const portalErrors = {
  'session.required': {
    status: 401,
    message: 'You are not signed in, or your session has ended. Sign in again.',
  },
  'session.busy': { status: 429, message: 'Too many requests in a short time.' },
  'sign_in.failed': {
    status: 400,
    message:
      'You could not be signed in: the response of the identity provider is not for this ' +
      'browser, or is too old. Start again.',
  },
  'request.foreign': {
    status: 403,
    message: 'Only the pages of the portal itself may call this URL.',
  },
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
      'Somebody else changed this in the meantime, and your change was not made: check the ' +
      'current state first.',
  },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type PortalError = keyof typeof portalErrors;

/** How long the reason of a request may be. */
export const reasonCharacters = 500;

/** What a member of an organisation may do: each role may do what the ones before it may. */
export const roles = ['viewer', 'editor', 'owner'] as const;

export type Role = (typeof roles)[number];

export const isRole = (text: string): text is Role => roles.some(role => role === text);

export const includesRole = (role: Role | undefined, wanted: Role): boolean =>
  roles.slice(roles.indexOf(wanted)).some(one => one === role);

/**
 * Who a person is to what a call is about; all of it is absent for somebody who has nothing to do
 * with it.
 */
export interface Standing {
  readonly own?: Role;
  readonly invited?: Role;
  readonly operator?: true;
}

/**
 * Who may make a call: anybody, anybody who is signed in, or whoever has one of these standings.
 */
export type Access = 'anybody' | 'person' | Standing;

/** A call of the portal's pages. It is no supported API. */
export interface PortalCall {
  readonly method: 'GET' | 'POST';
  /**
   * Below `/api/`: `{o}` is an organisation, `{w}` a workspace, `{c}` a connection in it, `{m}` a
   * message_id, `{y}` a replay, `{r}` a skill instance, `{t}` a run of checks, `{l}` an alert.
   */
  readonly path: string;
  readonly access: Access;
  /** Of a list: what `next` of a page goes back as. Pages have at most 200 entries and 256 KiB. */
  readonly page?: 'after' | 'before';
}

const get = <P extends string>(path: P, access: Access, page?: 'after' | 'before') =>
  ({ method: 'GET', path, access, ...(page && { page }) }) as const;
const post = <P extends string>(path: P, access: Access) =>
  ({ method: 'POST', path, access }) as const;

const operator = { operator: true } as const;
/** Of the organisation, or of the house that the workspace belongs to. */
const member = { own: 'viewer' } as const;
const hostEditor = { own: 'editor' } as const;
const hostOwner = { own: 'owner' } as const;
/** Who is invited has a standing at connections of the own organisation only. */
const viewer = { own: 'viewer', invited: 'viewer' } as const;
const editor = { own: 'editor', invited: 'editor' } as const;
const owner = { own: 'owner', invited: 'owner' } as const;

/** A call's name begins with its group: the calls that one service handles. */
export const portalCalls = {
  'sign.in': get('sign/in', 'anybody'),
  'sign.back': get('sign/back', 'anybody'),
  'sign.session': get('sign/session', 'person'),
  'sign.out': post('sign/out', 'person'),
  'organisation.request': post('organisation/request', 'person'),
  'organisation.requests': get('organisation/requests', 'person', 'after'),
  /** Whoever has the link reads what it offers before signing in. */
  'organisation.invitation': post('organisation/invitation', 'anybody'),
  'organisation.join': post('organisation/join', 'person'),
  'organisation.show': get('organisation/{o}', { ...member, ...operator }, 'after'),
  'organisation.members': get('organisation/{o}/members', member, 'after'),
  'organisation.changes': get('organisation/{o}/changes', { ...member, ...operator }, 'before'),
  'organisation.keepRefused': post('organisation/{o}/refused/keep', hostOwner),
  'organisation.addWorkspace': post('organisation/{o}/workspaces/add', hostOwner),
  'organisation.setRole': post('organisation/{o}/members/role', hostOwner),
  'organisation.removeMember': post('organisation/{o}/members/remove', hostOwner),
  'organisation.invitations': get('organisation/{o}/invitations', member, 'after'),
  'organisation.withdrawInvitation': post('organisation/{o}/invitations/withdraw', hostOwner),
  'organisation.inviteMember': post('organisation/{o}/members/invite', hostOwner),
  'workspace.show': get('workspace/{w}', { ...viewer, ...operator }, 'after'),
  'workspace.activity': get('workspace/{w}/activity', viewer, 'before'),
  'workspace.message': get('workspace/{w}/messages/{m}', viewer),
  'workspace.story': get('workspace/{w}/story', viewer, 'after'),
  'workspace.startStoryOver': post('workspace/{w}/story/reset', hostEditor),
  'workspace.stories': get('workspace/{w}/stories', viewer, 'before'),
  'workspace.content': get('workspace/{w}/messages/{m}/content', viewer),
  'workspace.search': get('workspace/{w}/search', viewer, 'after'),
  'workspace.overview': get('workspace/{w}/overview', viewer),
  'workspace.volume': get('workspace/{w}/volume', viewer),
  'workspace.inviteVendor': post('workspace/{w}/vendors/invite', hostOwner),
  'connection.list': get('connection/{w}', viewer, 'after'),
  'connection.vendors': get('connection/{w}/vendors', member, 'after'),
  'connection.endVendor': post('connection/{w}/vendors/end', hostOwner),
  /** An organisation is closed here, because its connections, queues and keys end with it. */
  'connection.closeOrganisation': post('connection/organisations/{o}/close', hostOwner),
  'connection.make': post('connection/{w}/make', editor),
  'connection.addIssuer': post('connection/{w}/issuers/add', hostEditor),
  'connection.removeIssuer': post('connection/{w}/issuers/remove', hostEditor),
  'connection.show': get('connection/{w}/{c}', viewer),
  'connection.usage': get('connection/{w}/{c}/usage', viewer),
  'connection.refusedText': get('connection/{w}/{c}/refused', viewer),
  'connection.permit': post('connection/{w}/{c}/permit', editor),
  'connection.rotate': post('connection/{w}/{c}/secrets/rotate', editor),
  'connection.endSecret': post('connection/{w}/{c}/secrets/end', editor),
  'connection.pause': post('connection/{w}/{c}/pause', editor),
  'connection.resume': post('connection/{w}/{c}/resume', editor),
  'connection.revoke': post('connection/{w}/{c}/revoke', editor),
  'connection.registerRole': post('connection/{w}/{c}/roles/register', editor),
  'connection.endRole': post('connection/{w}/{c}/roles/end', editor),
  'connection.bindClient': post('connection/{w}/{c}/clients/bind', hostEditor),
  'connection.unbindClient': post('connection/{w}/{c}/clients/unbind', editor),
  'queue.show': get('queue/{w}/{c}', viewer),
  'queue.skip': post('queue/{w}/{c}/skip', editor),
  'queue.replays': get('queue/{w}/{c}/replays', viewer, 'after'),
  'queue.countReplay': post('queue/{w}/{c}/replays/count', editor),
  'queue.startReplay': post('queue/{w}/{c}/replays/start', editor),
  'queue.replay': get('queue/{w}/{c}/replays/{y}', viewer),
  'queue.cancelReplay': post('queue/{w}/{c}/replays/{y}/cancel', editor),
  'skill.list': get('skill/{w}/{c}', viewer, 'after'),
  'skill.file': get('skill/{w}/{c}/file', viewer),
  'skill.register': post('skill/{w}/{c}/register', editor),
  'skill.show': get('skill/{w}/{c}/instances/{r}', viewer),
  'skill.replace': post('skill/{w}/{c}/instances/{r}/replace', editor),
  'skill.pause': post('skill/{w}/{c}/instances/{r}/pause', editor),
  'skill.resume': post('skill/{w}/{c}/instances/{r}/resume', editor),
  'skill.end': post('skill/{w}/{c}/instances/{r}/end', editor),
  'check.all': get('check/{w}', viewer, 'after'),
  'check.list': get('check/{w}/{c}', viewer, 'after'),
  'check.start': post('check/{w}/{c}/start', editor),
  'check.show': get('check/{w}/{c}/runs/{t}', viewer),
  'check.stop': post('check/{w}/{c}/runs/{t}/stop', editor),
  'validate.message': post('validate/{w}/{c}', viewer),
  'validate.publish': post('validate/{w}/{c}/publish', editor),
  'alert.list': get('alert/{w}', viewer, 'after'),
  'alert.make': post('alert/{w}/make', owner),
  'alert.change': post('alert/{w}/{l}/change', owner),
  'alert.test': post('alert/{w}/{l}/test', owner),
  'alert.delete': post('alert/{w}/{l}/delete', owner),
  'operator.organisations': get('operator/organisations', operator, 'after'),
  'operator.usage': get('operator/usage', operator),
  'operator.health': get('operator/health', operator),
  'operator.approve': post('operator/organisations/{o}/approve', operator),
  'operator.allot': post('operator/organisations/{o}/quota', operator),
  'operator.raise': post('operator/organisations/{o}/limit', operator),
  'operator.decline': post('operator/organisations/{o}/decline', operator),
  'operator.suspend': post('operator/organisations/{o}/suspend', operator),
  'operator.resume': post('operator/organisations/{o}/resume', operator),
} as const satisfies Record<string, PortalCall>;

/** Where a sign-in begins: limited per address. */
export const signInPath = `/api/${portalCalls['sign.in'].path}` as const;

export type PortalCallId = keyof typeof portalCalls;

export const portalCallIds = Object.keys(portalCalls) as readonly PortalCallId[];

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
