/** What each kind of skill field accepts, in the words of the library answer. */
export const fieldKinds = {
  path: 'A dot path on SOM 1.0 story.context, with [] after every list and nowhere else: editorial_source[].credibility.',
  path_list: 'A list of at least one path on story.context.',
  item_path:
    'A dot path on an observed item outside the story. It is not resolved: SOM has no schema for such items.',
  enum: 'One of the options, in exactly that spelling.',
  enum_list: 'A list of at least one of the options.',
  text: 'Text that is not empty.',
  text_list: 'A list of at least one text.',
  value:
    'One literal: text, a number, true or false. It is compared as it stands, type and letter case included.',
  number: 'A number within the range that the field states.',
  integer: 'A whole number within the range that the field states.',
  boolean: 'true or false.',
  authority: "The name of one authority. It has to be on the instance's authority_scale if there is one.",
  row: 'A list of at least one row. Every row has each of the options as a key, with a text, and no other key; their order counts.',
  map: 'At least one text key, each with a text.',
} as const;

export type FieldKind = keyof typeof fieldKinds;

export const isFieldKind = (kind: string): kind is FieldKind => Object.hasOwn(fieldKinds, kind);
