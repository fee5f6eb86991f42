import { randomBytes } from 'node:crypto';
import type { Ids } from '../../lib/ports/ids.ts';

export const ids = (): Ids => ({ random: bytes => randomBytes(bytes) });
