import { membersOf, type SomMember } from '../../lib/checks/judging/coverage.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { isClosing, isOpening, tokensIn } from '../message/indented.ts';
import { rangeOf } from './text-range.ts';

/** An object or a list that is open where one writes. */
interface Level {
  readonly opening: string;
  /** Of the member that one is in. */
  name: string;
  /** Behind the colon of a member. */
  hasName: boolean;
  readonly names: Set<string>;
}

/** What one writes at a place of a JSON text. */
interface Place {
  readonly levels: readonly Level[];
  /** Where the word begins that is not finished; the place itself if there is none. */
  readonly from: number;
}

const plain = (name: string): string => name.replace(/^"|"$/g, '');

const isFinished = (token: string): boolean => /^"(?:[^"\\]|\\.)*"$/s.test(token);

/** What is open at a place, however little of the text is there. */
const placeAt = (text: string, at: number): Place => {
  const levels: Level[] = [];
  let from = at;
  for (const { 0: token, index } of tokensIn(text.slice(0, at))) {
    const level = levels.at(-1);
    const isLast = index + token.length === at;
    if (isOpening(token))
      levels.push({ opening: token, name: '', hasName: false, names: new Set() });
    else if (isClosing(token)) levels.pop();
    else if (token === ',' && level) level.hasName = false;
    else if (token === ':' && level) level.hasName = true;
    else if (token !== ',' && isLast && !isFinished(token)) from = index;
    else if (level?.opening === '{' && !level.hasName) {
      level.name = plain(token);
      level.names.add(level.name);
    }
  }
  return { levels, from };
};

/** The way to what is open, as members are listed: `payload.assets[].`. */
const prefixOf = (levels: readonly Level[]): string =>
  levels
    .slice(0, -1)
    .map(({ opening, name }) => (opening === '{' ? name : '[]'))
    .join('.')
    .replaceAll('.[]', '[]');

const ofPayload = 'payload';

/** A member of the message, by its path; its type's schema knows what is in the payload. */
const knownMembers = (path: string, type: string): readonly [string, readonly SomMember[]] => {
  if (path === ofPayload) return ['', membersOf(type)];
  if (path.startsWith(`${ofPayload}.`)) return [path.slice(ofPayload.length + 1), membersOf(type)];
  return [path, membersOf('envelope')];
};

/** What the text says its type is; empty if it does not. */
const typeIn = (text: string): string => {
  const range = rangeOf(text, '/message_type');
  const token = range ? text.slice(range.from, range.to) : '';
  return isFinished(token) ? plain(token) : '';
};

/** Something that may stand where one writes. */
export interface Completion {
  /** A name or value, without quotes. */
  readonly label: string;
  /** The JSON text that stands for it. */
  readonly text: string;
  readonly detail: string;
  readonly info: string;
  readonly isName: boolean;
}

const nameOptions = (
  path: string,
  members: readonly SomMember[],
  used: ReadonlySet<string>,
): readonly Completion[] => {
  const prefix = path === '' ? '' : `${path}.`;
  return members
    .filter(one => one.path.startsWith(prefix))
    .map(one => ({ ...one, label: one.path.slice(prefix.length) }))
    .filter(({ label }) => !label.includes('.') && !used.has(label))
    .map(({ label, type, required, description: info }) => ({
      label,
      text: JSON.stringify(label),
      detail: required ? `${type}, required` : type,
      info,
      isName: true,
    }));
};

const valuesOf = (member: SomMember, type: string): readonly string[] => {
  if (member.path !== 'message_type') return member.values;
  // The payload repeats the envelope's, unless that is being written.
  return messageTypes.includes(type) ? [type, ...messageTypes] : messageTypes;
};

const valueOptions = (
  path: string,
  members: readonly SomMember[],
  type: string,
): readonly Completion[] => {
  const member = members.find(one => one.path === path || `${one.path}[]` === path);
  if (!member) return [];
  const { type: detail, description: info } = member;
  const words = [...new Set(valuesOf(member, type))].map(label => [label, JSON.stringify(label)]);
  const bare = detail === 'boolean' ? ['true', 'false'].map(label => [label, label]) : [];
  return [...words, ...bare].map(([label = '', text = '']) => ({
    label,
    text,
    detail,
    info,
    isName: false,
  }));
};

/**
 * What may stand at a place of a message's text: members of the envelope, or of the payload of the
 * message_type that the text names; or values that SOM lists for a member.
 */
export const completionsAt = (
  text: string,
  at: number,
): { readonly from: number; readonly options: readonly Completion[] } => {
  const { levels, from } = placeAt(text, at);
  const level = levels.at(-1);
  if (!level) return { from, options: [] };
  const above = prefixOf(levels);
  const type = typeIn(text);
  if (level.opening === '{' && !level.hasName) {
    const [path, members] = knownMembers(above, type);
    return { from, options: nameOptions(path, members, level.names) };
  }
  const own = level.opening === '{' ? level.name : '[]';
  const whole = above === '' ? own : `${above}.${own}`.replaceAll('.[]', '[]');
  const [path, members] = knownMembers(whole, type);
  return { from, options: valueOptions(path, members, type) };
};
