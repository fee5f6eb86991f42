import applyClearance from '../../skills/0.2.2/apply-clearance.json';
import enrichOnCondition from '../../skills/0.2.2/enrich-on-condition.json';
import flagOnMismatch from '../../skills/0.2.2/flag-on-mismatch.json';
import gateByScope from '../../skills/0.2.2/gate-by-scope.json';
import holdWhileFlagged from '../../skills/0.2.2/hold-while-flagged.json';
import library from '../../skills/0.2.2/library.json';
import matchAndPropose from '../../skills/0.2.2/match-and-propose.json';
import raiseFlagOnMatch from '../../skills/0.2.2/raise-flag-on-match.json';
import recordProvenanceOnIngest from '../../skills/0.2.2/record-provenance-on-ingest.json';
import selectProviderByContext from '../../skills/0.2.2/select-provider-by-context.json';
import surfaceOnContextMatch from '../../skills/0.2.2/surface-on-context-match.json';
import { type Catalogue, libraryFrom } from './library.ts';

/**
 * The library versions the bus carries, newest first; exactly one is current. The files are
 * imported so that they are bundled with the functions: nothing is read at run time. A further
 * version is a folder and its lines here.
 */
export const carried: Catalogue = [
  libraryFrom(library, [
    applyClearance,
    enrichOnCondition,
    flagOnMismatch,
    gateByScope,
    holdWhileFlagged,
    matchAndPropose,
    raiseFlagOnMatch,
    recordProvenanceOnIngest,
    selectProviderByContext,
    surfaceOnContextMatch,
  ]),
];
