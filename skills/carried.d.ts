import { type Catalogue } from '../lib/skills/library.ts';
/**
 * The library versions the bus carries, newest first; exactly one is current. The files are imported so that they
 * are bundled with the functions: nothing is read at run time. A further version is a folder and its lines here.
 */
export declare const carried: Catalogue;
