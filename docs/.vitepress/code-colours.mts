/** A class for each kind of word in code, with a colour that stands for it until the class does: `style.css` has the real ones. */
const kinds = {
  comment: { colour: '#000001', scope: ['comment'] },
  string: { colour: '#000002', scope: ['string', 'markup.inline.raw'] },
  keyword: { colour: '#000003', scope: ['keyword', 'storage', 'keyword.operator'] },
  value: { colour: '#000004', scope: ['constant', 'variable.language'] },
  name: {
    colour: '#000005',
    scope: [
      'entity.name',
      'support',
      'variable.parameter',
      'string.json support.type.property-name',
    ],
  },
} as const;

/** A theme for Shiki, the same in light and dark. */
export const codeColours = {
  name: 'sombus',
  type: 'light' as const,
  colors: { 'editor.foreground': '#000000', 'editor.background': '#ffffff' },
  tokenColors: Object.values(kinds).map(({ colour, scope }) => ({
    scope: [...scope],
    settings: { foreground: colour },
  })),
};

/** Shiki writes styles into the page, which the content security policy refuses: classes instead. */
export const colourClasses = {
  name: 'sombus:classes',
  span({ properties }: { readonly properties: Record<string, unknown> }) {
    const style = String(properties['style'] ?? '').toLowerCase();
    delete properties['style'];
    const kind = Object.entries(kinds).find(([, { colour }]) => style.includes(colour));
    if (kind) properties['class'] = `code-${kind[0]}`;
  },
};
