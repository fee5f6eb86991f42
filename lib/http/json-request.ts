import { type Refusal, refuse } from '../app/refusal.ts';
import { limits } from '../contract/limits.ts';
import type { HttpRequest } from './http-request.ts';
import { mediaType } from './media-type.ts';

/** Why a body is not looked at: it is too large, or not said to be JSON; undefined when it may be read. */
export const unreadableJson = ({
  body,
  headers,
}: Pick<HttpRequest, 'body' | 'headers'>): Refusal | undefined => {
  if (body.length > limits.messageBytes) return refuse('message.too_large');
  return mediaType(headers['content-type']) === 'application/json'
    ? undefined
    : refuse('message.unsupported_media_type');
};
