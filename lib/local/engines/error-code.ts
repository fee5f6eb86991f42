import { isJsonObject } from '../../domain/message/json-object.ts';

/** The code of a system's error, such as EADDRINUSE; undefined where there is none. */
export const errorCode = (fault: unknown): string | undefined => {
  const code = isJsonObject(fault) ? fault['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
};
