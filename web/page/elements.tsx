/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A page: its title is the document's title too, and has the focus when the page opens. */
export const Page = ({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – som-bus`;
  }, [title]);
  // Not when a title becomes known: somebody may be typing by then.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  );
};

/** A text to copy: a command, a file. */
export const Copyable = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const copied = useSignal(false);
  const id = useId();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    copied.value = true;
  };
  return (
    <section class="copyable" aria-labelledby={id}>
      <header>
        <h3 id={id}>{label}</h3>
        <button type="button" onClick={copy}>
          {copied.value ? 'Copied' : 'Copy'}
        </button>
      </header>
      {/* Scrolls sideways, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
};
