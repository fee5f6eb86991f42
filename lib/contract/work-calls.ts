const seer = { own: 'viewer', invited: 'viewer' } as const;
const maker = { own: 'editor', invited: 'editor' } as const;
const owner = { own: 'owner', invited: 'owner' } as const;
const hostMaker = { own: 'editor' } as const;

/**
 * The calls about connections, their queues, skills and messages. `{w}` is a workspace, `{c}` a connection in it, `{y}` a replay to it, `{r}` a skill instance that it
 * runs, `{t}` a run of checks, `{l}` an alert. Who is invited has a
 * standing at connections of the own organisation only.
 */
export const workCalls = {
  'connection.list': { group: 'connection', method: 'GET', path: '{w}', page: 'after', access: seer },
  'connection.vendors': {
    group: 'connection',
    method: 'GET',
    path: '{w}/vendors',
    page: 'after',
    access: { own: 'viewer' },
  },
  'connection.endVendor': {
    group: 'connection',
    method: 'POST',
    path: '{w}/vendors/end',
    access: { own: 'owner' },
  },
  /** An organisation is closed here, because its connections, queues and keys end with it. */
  'connection.closeOrganisation': {
    group: 'connection',
    method: 'POST',
    path: 'organisations/{o}/close',
    access: { own: 'owner' },
  },
  'connection.make': { group: 'connection', method: 'POST', path: '{w}/make', access: maker },
  'connection.addIssuer': { group: 'connection', method: 'POST', path: '{w}/issuers/add', access: hostMaker },
  'connection.removeIssuer': {
    group: 'connection',
    method: 'POST',
    path: '{w}/issuers/remove',
    access: hostMaker,
  },
  'connection.show': { group: 'connection', method: 'GET', path: '{w}/{c}', access: seer },
  'connection.usage': { group: 'connection', method: 'GET', path: '{w}/{c}/usage', access: seer },
  'connection.refusedText': { group: 'connection', method: 'GET', path: '{w}/{c}/refused', access: seer },
  'connection.permit': { group: 'connection', method: 'POST', path: '{w}/{c}/permit', access: maker },
  'connection.rotate': { group: 'connection', method: 'POST', path: '{w}/{c}/secrets/rotate', access: maker },
  'connection.endSecret': { group: 'connection', method: 'POST', path: '{w}/{c}/secrets/end', access: maker },
  'connection.pause': { group: 'connection', method: 'POST', path: '{w}/{c}/pause', access: maker },
  'connection.resume': { group: 'connection', method: 'POST', path: '{w}/{c}/resume', access: maker },
  'connection.revoke': { group: 'connection', method: 'POST', path: '{w}/{c}/revoke', access: maker },
  'connection.registerRole': {
    group: 'connection',
    method: 'POST',
    path: '{w}/{c}/roles/register',
    access: maker,
  },
  'connection.endRole': { group: 'connection', method: 'POST', path: '{w}/{c}/roles/end', access: maker },
  'connection.bindClient': {
    group: 'connection',
    method: 'POST',
    path: '{w}/{c}/clients/bind',
    access: hostMaker,
  },
  'connection.unbindClient': {
    group: 'connection',
    method: 'POST',
    path: '{w}/{c}/clients/unbind',
    access: maker,
  },
  'queue.show': { group: 'queue', method: 'GET', path: '{w}/{c}', access: seer },
  'queue.skip': { group: 'queue', method: 'POST', path: '{w}/{c}/skip', access: maker },
  'queue.replays': { group: 'queue', method: 'GET', path: '{w}/{c}/replays', page: 'after', access: seer },
  'queue.countReplay': { group: 'queue', method: 'POST', path: '{w}/{c}/replays/count', access: maker },
  'queue.startReplay': { group: 'queue', method: 'POST', path: '{w}/{c}/replays/start', access: maker },
  'queue.replay': { group: 'queue', method: 'GET', path: '{w}/{c}/replays/{y}', access: seer },
  'queue.cancelReplay': { group: 'queue', method: 'POST', path: '{w}/{c}/replays/{y}/cancel', access: maker },
  'skill.list': { group: 'skill', method: 'GET', path: '{w}/{c}', page: 'after', access: seer },
  'skill.file': { group: 'skill', method: 'GET', path: '{w}/{c}/file', access: seer },
  'skill.register': { group: 'skill', method: 'POST', path: '{w}/{c}/register', access: maker },
  'skill.show': { group: 'skill', method: 'GET', path: '{w}/{c}/instances/{r}', access: seer },
  'skill.replace': { group: 'skill', method: 'POST', path: '{w}/{c}/instances/{r}/replace', access: maker },
  'skill.pause': { group: 'skill', method: 'POST', path: '{w}/{c}/instances/{r}/pause', access: maker },
  'skill.resume': { group: 'skill', method: 'POST', path: '{w}/{c}/instances/{r}/resume', access: maker },
  'skill.end': { group: 'skill', method: 'POST', path: '{w}/{c}/instances/{r}/end', access: maker },
  'check.list': { group: 'check', method: 'GET', path: '{w}/{c}', page: 'after', access: seer },
  'check.start': { group: 'check', method: 'POST', path: '{w}/{c}/start', access: maker },
  'check.show': { group: 'check', method: 'GET', path: '{w}/{c}/runs/{t}', access: seer },
  'check.stop': { group: 'check', method: 'POST', path: '{w}/{c}/runs/{t}/stop', access: maker },
  'validate.message': { group: 'validate', method: 'POST', path: '{w}/{c}', access: seer },
  'alert.list': { group: 'alert', method: 'GET', path: '{w}', page: 'after', access: seer },
  'alert.make': { group: 'alert', method: 'POST', path: '{w}/make', access: owner },
  'alert.change': { group: 'alert', method: 'POST', path: '{w}/{l}/change', access: owner },
  'alert.test': { group: 'alert', method: 'POST', path: '{w}/{l}/test', access: owner },
  'alert.delete': { group: 'alert', method: 'POST', path: '{w}/{l}/delete', access: owner },
  'validate.publish': { group: 'validate', method: 'POST', path: '{w}/{c}/publish', access: maker },
} as const;
