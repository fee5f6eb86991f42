import type { RunResponse } from '../../lib/contract/portal/work-responses.ts';
import type { Look } from '../page/layout.tsx';

const indicators = { running: 'in-progress', finished: 'success', aborted: 'stopped' } as const;

/** How a state of a run looks. @param words instead of its name */
export const runLook = (status: RunResponse['status'], words: string = status): Look => [
  indicators[status],
  words,
];
