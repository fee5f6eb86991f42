import { limits } from '../contract/limits.ts';
import type { ResponseOf } from '../contract/portal-responses.ts';
import { textOf } from '../json/value.ts';
import { isDeclined } from '../registry/operator.ts';
import {
  changeSkill,
  labelsOf,
  registerSkills,
  replaceSkill,
  type SkillRegistration,
  skillsFile,
} from '../skills/registrations.ts';
import { declinedReply, portalRefusal, portalResponse, type Reply } from './browser.http.ts';
import type { Call, CallHandler, CallService, CallsOf } from './calls.http.ts';
import { changeable, noteHere, notYours } from './connection-changes.http.ts';
import { nextOf, partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';
import { standingAt } from './standing.ts';

const summary = (registration: SkillRegistration) => ({
  registration_id: registration.id,
  skill_id: registration.skill_id,
  skill_version: registration.skill_version,
  instance_label: registration.instance_label,
  paused: registration.paused,
  created_at: registration.createdAt,
});

const detail = (registration: SkillRegistration) => ({
  ...summary(registration),
  values: registration.values,
  ...(registration.authority_scale ? { authority_scale: registration.authority_scale } : {}),
});

const maxProblems = 100;

const list: CallHandler<'skill.list'> = async (ports, call) => {
  const [page, owners] = await Promise.all([
    ports.skills.page(call.subject['c'] ?? '', partIn(call, limits.portalPage)),
    changeable(ports, call),
  ]);
  return portalResponse({
    registrations: page.entries.map(summary),
    may_change: owners !== undefined,
    ...nextOf(page),
  });
};

const show: CallHandler<'skill.show'> = async (ports, { subject: { c = '', r = '' } }) => {
  const found = await ports.skills.find(c, r);
  return found ? portalResponse(detail(found)) : portalRefusal('portal.not_found');
};

const file: CallHandler<'skill.file'> = async (ports, { subject: { c = '' } }) => {
  const yaml = skillsFile(await ports.skills.of(c));
  return Buffer.byteLength(yaml) <= limits.portalResponseBytes / 2
    ? portalResponse({ yaml })
    : portalRefusal(
        'portal.declined',
        'The file is too large for the portal: use "sombus skill list --json".',
      );
};

type SkillCall = Exclude<CallsOf<'skill'>, 'skill.list' | 'skill.show' | 'skill.file'>;

/** A change by the side that the executor belongs to, recorded if `change` says what of. */
const changing =
  <Id extends SkillCall>(
    what: Id,
    change: (
      ports: PortalPorts,
      connection: string,
      call: Call,
    ) => Promise<Reply<ResponseOf<Id>> | Changed<ResponseOf<Id>>>,
  ): CallHandler<Id> =>
  async (ports, call) => {
    const { c = '' } = call.subject;
    const owners = await changeable(ports, call);
    if (!owners) return portalRefusal('access.denied', notYours);
    const result = await change(ports, c, call);
    if (!('facts' in result)) return result;
    const noted = await noteHere(ports, call, { what, facts: result.facts, owners });
    return portalResponse({ ...result.response, ...noted });
  };

interface Changed<Body> {
  readonly response: Body;
  readonly facts: Readonly<Record<string, string>>;
}

const fileOf = ({ body }: Call): Uint8Array => Buffer.from(textOf(body, 'file'), 'utf8');

const register = changing('skill.register', async (ports, c, call) => {
  const result = await registerSkills(ports, c, fileOf(call));
  if (isDeclined(result)) return declinedReply(result);
  if (result.kind === 'invalid')
    return portalResponse({ registrations: [], problems: result.problems.slice(0, maxProblems) });
  const response = {
    registrations: result.registrations.slice(0, limits.skillInstances).map(summary),
    problems: [],
  };
  return { response, facts: { instances: labelsOf(result.registrations) } };
});

const replace = changing('skill.replace', async (ports, c, call) => {
  const result = await replaceSkill(ports, { connection: c, id: call.subject['r'] ?? '' }, fileOf(call));
  if (result === undefined) return portalRefusal('portal.changed');
  if (isDeclined(result)) return declinedReply(result);
  if (result.kind === 'invalid')
    return portalResponse({ registrations: [], problems: result.problems.slice(0, maxProblems) });
  const response = { registrations: result.registrations.map(summary), problems: [] };
  return { response, facts: { instances: labelsOf(result.registrations) } };
});

const change = <Id extends 'skill.pause' | 'skill.resume' | 'skill.end'>(
  what: Id,
  how: Parameters<typeof changeSkill>[2],
) =>
  changing<Id>(what, async (ports, c, call) => {
    const changed = await changeSkill(ports, { connection: c, id: call.subject['r'] ?? '' }, how);
    if (!changed) return portalRefusal('portal.changed');
    if (isDeclined(changed)) return declinedReply(changed);
    return { response: summary(changed), facts: { instances: labelsOf([changed]) } };
  });

export const skillCalls: CallService<'skill'> = {
  standingOf: standingAt,
  handlers: {
    'skill.list': list,
    'skill.show': show,
    'skill.file': file,
    'skill.register': register,
    'skill.replace': replace,
    'skill.pause': change('skill.pause', 'pause'),
    'skill.resume': change('skill.resume', 'resume'),
    'skill.end': change('skill.end', 'remove'),
  },
};
