import { useEffect, useRef, useState } from 'react';
import type { Code } from './code.ts';

/**
 * A JSON text, with colours, folding and what changed. The code that shows it is fetched when it is
 * first needed.
 */
export const CodeView = (code: Code) => {
  const host = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts say all that is shown
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isOver = false;
    void import('./code.ts').then(
      ({ showCode }) => {
        if (!isOver && host.current) remove = showCode(host.current, code);
      },
      () => setMissing(true),
    );
    return () => {
      isOver = true;
      remove?.();
    };
  }, [code.text, code.before, code.marks]);
  // Plain text will do where the code is not to be had.
  return isMissing ? <pre>{code.text}</pre> : <div className="code" ref={host} />;
};
