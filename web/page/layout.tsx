import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import { type ReactNode, useEffect, useRef } from 'react';
import { cell } from './cell.ts';

/** What is beside or below the page: the message that was chosen in a list. */
export interface Panel {
  readonly title: string;
  readonly content: ReactNode;
  close(): void;
}

export const title = cell('…');
export const panel = cell<Panel | undefined>(undefined);

/** Shows something in the split panel for as long as the page shows it. */
export const usePanel = (wanted: Panel | undefined, key: string | undefined): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown changes with its key
  useEffect(() => {
    panel.value = wanted;
    return () => {
      panel.value = undefined;
    };
  }, [key]);
};

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its title is the document's title too, and has the focus when the page opens. */
export const Page = ({ title: text, lead, actions, children }: PageProps) => {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${text} – som-bus`;
    title.value = text;
  }, [text]);
  // Not when a title becomes known: somebody may be typing by then.
  useEffect(() => {
    const heading = host.current?.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={host}>
      <ContentLayout
        header={
          <Header variant="h1" description={lead} actions={actions}>
            {text}
          </Header>
        }
      >
        <div className="stack">{children}</div>
      </ContentLayout>
    </div>
  );
};
