import { useEffect, useState } from 'react';
import {
  type UsageLine,
  usageOrganisations,
} from '../../lib/contract/portal/operator-responses.ts';
import { call, type Failure } from '../page/call.ts';

/** Read by itself; for more the reader asks. */
const readAtOnce = 100;

export interface Usage {
  /** By organisation, as far as they are read. */
  readonly lines: ReadonlyMap<string, UsageLine>;
  readonly readAt: string | undefined;
  readonly failure: Failure | undefined;
  readonly isReading: boolean;
  /** Organisations that are not read by itself. */
  readonly left: number;
  readOn(): void;
}

/** What organisations did today, a few at a time, in their order. */
export const useUsage = (organisations: readonly string[]): Usage => {
  const [wanted, setWanted] = useState(readAtOnce);
  const [lines, setLines] = useState<ReadonlyMap<string, UsageLine>>(new Map());
  const [readAt, setReadAt] = useState<string | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const next = organisations.slice(0, wanted).filter(id => !lines.has(id));
  const asked = next.slice(0, usageOrganisations).join(',');
  useEffect(() => {
    if (asked === '' || failure) return undefined;
    let isOver = false;
    void call('operator.usage', { query: { organisations: asked } }).then(reply => {
      if (isOver) return;
      if (reply.kind !== 'ok') return setFailure(reply);
      const read = reply.value.organisations.map(line => [line.organisation_id, line] as const);
      setLines(before => new Map([...before, ...read]));
      setReadAt(before => before ?? reply.value.read_at);
    });
    return () => {
      isOver = true;
    };
  }, [asked, failure]);
  return {
    lines,
    readAt,
    failure,
    isReading: asked !== '' && !failure,
    left: Math.max(0, organisations.length - wanted),
    readOn: () => {
      setFailure(undefined);
      setWanted(wanted + readAtOnce);
    },
  };
};
