import Textarea from '@cloudscape-design/components/textarea';
import { useEffect, useRef, useState } from 'react';
import type { CodeMark } from '../page/code.ts';
import type { TextRange } from './text-range.ts';
import type { Written } from './writing.ts';

/** What is written, and what its page asks of it. */
export interface CodeEditorProps {
  /** Names the text for a screen reader. */
  readonly label: string;
  readonly text: string;
  /** What is to take the place of all that is written; another one each time. */
  readonly placed: { readonly text: string } | undefined;
  readonly marks: readonly CodeMark[];
  /** What is to be selected; another one each time. */
  readonly selected: Pick<TextRange, 'from' | 'to'> | undefined;
  edit(text: string): void;
}

/**
 * A JSON text to be written, with line numbers, completions and marks. Its code is fetched when it
 * is first needed; where that is not to be had, a plain field will do.
 */
export const CodeEditor = ({ label, text, placed, marks, selected, edit }: CodeEditorProps) => {
  const host = useRef<HTMLDivElement>(null);
  const [written, setWritten] = useState<Written | undefined>(undefined);
  const [isMissing, setMissing] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once, and told of changes
  useEffect(() => {
    let made: Written | undefined;
    let isOver = false;
    void import('./writing.ts').then(
      ({ writeCode }) => {
        if (isOver || !host.current) return;
        made = writeCode(host.current, { text, label, edit });
        setWritten(made);
      },
      () => setMissing(true),
    );
    return () => {
      isOver = true;
      made?.end();
    };
  }, []);
  useEffect(() => {
    if (placed) written?.replace(placed.text);
  }, [written, placed]);
  useEffect(() => written?.mark(marks), [written, marks]);
  useEffect(() => {
    if (selected) written?.select(selected.from, selected.to);
  }, [written, selected]);
  if (!isMissing) return <div className="code writing" ref={host} />;
  return (
    <Textarea
      rows={18}
      spellcheck={false}
      ariaLabel={label}
      value={text}
      onChange={({ detail }) => edit(detail.value)}
    />
  );
};
