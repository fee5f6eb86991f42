import { limits } from '../../contract/limits.ts';

/** Control characters, lone surrogates, noncharacters and line separators among them. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Whether a text may name a system: it goes as an attribute with every message, and SQS refuses some characters there that
 * JSON can escape (AWS docs, "Amazon SQS message quotas"); a message that no queue takes would hold up its correlation for ever.
 */
export const isSystemId = (text: string): boolean =>
  text !== '' && text.length <= limits.nameCharacters && !unprintable.test(text);
