/** @jsxImportSource preact */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';

/** The connections of the workspace that a page is about, as far as they are known. */
export const KnownConnections = createContext<AnswerOf<'workspace.show'>['connections']>([]);

/** A connection as people call it: by its app. Programs know it by its id, which stands beside it. */
export const ConnectionName = ({ id }: { readonly id: string }) => {
  const known = useContext(KnownConnections).find(one => one.connection_id === id);
  return known ? (
    <span class="who">
      {known.app_name} <code class="quiet">{id}</code>
    </span>
  ) : (
    <code class="who">{id}</code>
  );
};
