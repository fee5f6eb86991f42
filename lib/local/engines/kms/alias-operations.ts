import type { JsonObject } from '../../../domain/message/json-object.ts';
import { textOf } from '../aws-json/json-input.ts';
import { kmsError, requiredMember } from './kms-error.ts';
import { pageOf } from './kms-page.ts';
import { aliasArn, type KmsState, keyById, keyOf, notPendingDeletion } from './kms-state.ts';

export function createAlias(state: KmsState, input: JsonObject): JsonObject {
  const name = newNameOf(input);
  const target = targetOf(state, input);
  if (state.store.aliases.has(name)) {
    throw kmsError('AlreadyExistsException', `An alias with the name ${aliasArn(name)} already exists`);
  }
  return point(state, name, target);
}

export function updateAlias(state: KmsState, input: JsonObject): JsonObject {
  const name = existingNameOf(state, input);
  return point(state, name, targetOf(state, input));
}

export function deleteAlias(state: KmsState, input: JsonObject): JsonObject {
  const name = existingNameOf(state, input);
  state.store.setAliases(new Map([...state.store.aliases].filter(([alias]) => alias !== name)));
  return {};
}

export function listAliases(state: KmsState, input: JsonObject): JsonObject {
  const only = textOf(input, 'KeyId') === undefined ? undefined : keyOf(state, input).id;
  const aliases = [...state.store.aliases]
    .filter(([, id]) => only === undefined || id === only)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, id]) => ({ AliasArn: aliasArn(name), AliasName: name, TargetKeyId: id }));
  return pageOf('Aliases', aliases, input);
}

function point(state: KmsState, name: string, keyId: string): JsonObject {
  state.store.setAliases(new Map([...state.store.aliases, [name, keyId]]));
  return {};
}

const targetOf = (state: KmsState, input: JsonObject) =>
  notPendingDeletion(keyById(state, requiredMember(textOf(input, 'TargetKeyId'), 'targetKeyId'))).id;

const nameOf = (input: JsonObject) => requiredMember(textOf(input, 'AliasName'), 'aliasName');

function newNameOf(input: JsonObject): string {
  const name = nameOf(input);
  const fits = /^alias\/[\w/-]{1,250}$/.test(name) && !name.startsWith('alias/aws/');
  if (fits) return name;
  const form = 'alias/ and 1 to 250 letters, digits, slashes, underscores or hyphens, but not alias/aws/';
  throw kmsError('InvalidAliasNameException', `Alias name '${name}' is not allowed: it must be ${form}`);
}

function existingNameOf(state: KmsState, input: JsonObject): string {
  const name = nameOf(input);
  if (state.store.aliases.has(name)) return name;
  throw kmsError('NotFoundException', `Alias ${aliasArn(name)} is not found.`);
}
