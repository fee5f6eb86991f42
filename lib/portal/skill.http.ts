import { limits } from '../contract/limits.ts';
import type { ResponseOf } from '../contract/portal-responses.ts';
import { textOf } from '../json/value.ts';
import type { Changes } from '../registry/noting.ts';
import { noteOn } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import {
  changeSkill,
  labelsOf,
  registerSkills,
  replaceSkill,
  type SkillPorts,
  type SkillRegistration,
  skillsFile,
} from '../skills/registrations.ts';
import { declinedReply, portalRefusal, portalResponse, type Reply } from './browser.http.ts';
import type { Call, CallHandler, CallPorts, CallService, CallsOf } from './calls.http.ts';
import { notYours } from './connection-changes.http.ts';
import { nextOf, partIn } from './lists.http.ts';
import { isOwnSide, ownersOf, type StandingPorts, standingAt } from './standing.ts';

export type SkillCallPorts = CallPorts &
  StandingPorts &
  SkillPorts & { readonly changes: Pick<Changes, 'note'> };

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

const list =
  (ports: SkillCallPorts): CallHandler<'skill.list'> =>
  async call => {
    const { standing, subject } = call;
    const [page, owners] = await Promise.all([
      ports.skills.page(subject['c'] ?? '', partIn(call, limits.portalPage)),
      ownersOf(ports, call),
    ]);
    return portalResponse({
      registrations: page.entries.map(summary),
      may_change: isOwnSide(standing, owners, 'editor'),
      ...nextOf(page),
    });
  };

const show =
  (ports: SkillCallPorts): CallHandler<'skill.show'> =>
  async ({ subject: { c = '', r = '' } }) => {
    const found = await ports.skills.find(c, r);
    return found ? portalResponse(detail(found)) : portalRefusal('portal.not_found');
  };

const file =
  (ports: SkillCallPorts): CallHandler<'skill.file'> =>
  async ({ subject: { c = '' } }) => {
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
    ports: SkillCallPorts,
    what: string,
    change: (call: Call, connection: string) => Promise<Reply<ResponseOf<Id>> | Changed<ResponseOf<Id>>>,
  ): CallHandler<Id> =>
  async call => {
    const { c = '' } = call.subject;
    const { organisation, host } = await ownersOf(ports, call);
    if (!isOwnSide(call.standing, { organisation, host }, 'editor'))
      return portalRefusal('access.denied', notYours);
    const result = await change(call, c);
    if (!('facts' in result)) return result;
    const of = { connection: c, organisations: [organisation, host] };
    const noted = await noteOn(ports, call, { what, of, facts: result.facts });
    return portalResponse({ ...result.response, ...noted });
  };

interface Changed<Body> {
  readonly response: Body;
  readonly facts: Readonly<Record<string, string>>;
}

const fileOf = ({ body }: Call): Uint8Array => Buffer.from(textOf(body, 'file'), 'utf8');

const register = (ports: SkillCallPorts) =>
  changing<'skill.register'>(ports, 'skill.register', async (call, c) => {
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

const replace = (ports: SkillCallPorts) =>
  changing<'skill.replace'>(ports, 'skill.replace', async (call, c) => {
    const result = await replaceSkill(ports, { connection: c, id: call.subject['r'] ?? '' }, fileOf(call));
    if (result === undefined) return portalRefusal('portal.changed');
    if (isDeclined(result)) return declinedReply(result);
    if (result.kind === 'invalid')
      return portalResponse({ registrations: [], problems: result.problems.slice(0, maxProblems) });
    const response = { registrations: result.registrations.map(summary), problems: [] };
    return { response, facts: { instances: labelsOf(result.registrations) } };
  });

const change = <Id extends 'skill.pause' | 'skill.resume' | 'skill.end'>(
  ports: SkillCallPorts,
  what: Id,
  how: Parameters<typeof changeSkill>[2],
) =>
  changing<Id>(ports, what, async (call, c) => {
    const changed = await changeSkill(ports, { connection: c, id: call.subject['r'] ?? '' }, how);
    if (!changed) return portalRefusal('portal.changed');
    if (isDeclined(changed)) return declinedReply(changed);
    return { response: summary(changed), facts: { instances: labelsOf([changed]) } };
  });

export const skillCalls = (ports: SkillCallPorts): CallService<'skill'> => ({
  standingOf: standingAt(ports),
  handlers: {
    'skill.list': list(ports),
    'skill.show': show(ports),
    'skill.file': file(ports),
    'skill.register': register(ports),
    'skill.replace': replace(ports),
    'skill.pause': change(ports, 'skill.pause', 'pause'),
    'skill.resume': change(ports, 'skill.resume', 'resume'),
    'skill.end': change(ports, 'skill.end', 'remove'),
  },
});
