import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

/** A text to copy: a command, a file. */
export const Snippet = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section className="snippet" aria-label={label}>
    <CopyToClipboard
      copyButtonText="Copy"
      copyButtonAriaLabel={`Copy: ${label}`}
      copySuccessText="Copied"
      copyErrorText="Could not copy"
      textToCopy={text}
    />
    {/* Scrolls sideways, so the keyboard must reach it. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>{text}</pre>
  </section>
);

/** Lets the reader keep something as a file. */
export const save = (
  content: string | Uint8Array<ArrayBuffer>,
  { name, type }: { readonly name: string; readonly type: string },
): void => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
};
