import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import { shorten } from '../message/quote-value.ts';
import { quotedText } from './words.ts';
import { type YamlFault, yamlDocument, yamlFault, yamlLimits } from './yaml-document.ts';

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
);

const charactersPerNode = 50;

/** A converted node and its size: the nodes in it, those behind aliases included, where long texts count for more. */
interface Read {
  readonly value: unknown;
  readonly size: number;
}

/** Thrown inside this file only: the conversion is recursive, and a fault ends all of it. */
class Unusable extends Error {
  readonly node: unknown;
  constructor(reason: string, node: unknown) {
    super(reason);
    this.node = node;
  }
}

class Conversion {
  readonly #anchors = new Map<string, Read>();
  #aliases = 0;
  #aliased = 0;

  read(node: unknown): Read {
    if (node === null) return { value: null, size: 1 };
    if (isAlias(node)) return this.#alias(node.source, node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node))
      throw new Unusable('there is something unknown', node);
    if (node.tag !== undefined && !coreTags.has(node.tag)) {
      throw new Unusable(`the tag ${quotedText(node.tag)} is not one of YAML's core schema`, node);
    }
    const read = isScalar(node)
      ? { value: node.value, size: 1 + (node.source?.length ?? 0) / charactersPerNode }
      : isSeq(node)
        ? this.#list(node.items)
        : this.#map(node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, read);
    return read;
  }

  #alias(name: string, node: Node): Read {
    const read = this.#anchors.get(name);
    if (!read) throw new Unusable(`the alias *${shorten(name, 60)} has no anchor before it`, node);
    this.#aliases += 1;
    this.#aliased += read.size;
    if (this.#aliases > yamlLimits.aliases || this.#aliased > yamlLimits.aliasedSize) {
      throw new Unusable('the aliases stand for too much', node);
    }
    return read;
  }

  #list(items: readonly unknown[]): Read {
    const reads = items.map(item => this.read(item));
    return {
      value: reads.map(({ value }) => value),
      size: reads.reduce((sum, { size }) => sum + size, 1),
    };
  }

  #map(map: YAMLMap<unknown, unknown>): Read {
    const members = new Map<string, unknown>();
    let size = 1;
    for (const pair of map.items) {
      const key = this.#key(pair, map);
      if (members.has(key)) throw new Unusable(`the key ${quotedText(key)} is there twice`, pair.key);
      const read = this.read(pair.value);
      members.set(key, read.value);
      size += read.size + 1;
    }
    // Defines own members whatever their names are: an assignment to __proto__ would not.
    return { value: Object.fromEntries(members), size };
  }

  #key({ key }: Pair<unknown, unknown>, map: Node): string {
    if (!isScalar(key) || key.value === null) throw new Unusable('a key is not text', key ?? map);
    this.read(key);
    return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  }
}

const placeOf = (fault: Unusable, lines: LineCounter): string => {
  const range = (fault.node as ParsedNode | null)?.range;
  if (!range) return '';
  const { line, col } = lines.linePos(range[0]);
  return `line ${line}, column ${col}: `;
};

/**
 * The value of one YAML 1.2 document under the core schema: lists, plain objects with own members, text, numbers, true,
 * false and null. Other tags, a second document, a repeated key and aliases that stand for too much are faults; `<<`
 * is a key like any other.
 */
export const readYaml = (text: string): { readonly kind: 'value'; readonly value: unknown } | YamlFault => {
  const composed = yamlDocument(text);
  if ('kind' in composed) return composed;
  try {
    return { kind: 'value', value: new Conversion().read(composed.document.contents).value };
  } catch (fault) {
    if (fault instanceof Unusable) return yamlFault(placeOf(fault, composed.lines) + fault.message);
    throw fault;
  }
};
