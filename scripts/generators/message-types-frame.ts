// The hand-written parts of the generated message types.

/** What all messages share. Patterns of the schemas become template literals. */
export const head = `/** What JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue };

export type SomVersion = \`1.\${number}.\${number}\`;
/** What \`crypto.randomUUID\` returns. */
export type Uuid = \`\${string}-\${string}-\${string}-\${string}-\${string}\`;
/** RFC 3339. */
export type Timestamp = \`\${number}-\${number}-\${number}T\${string}\`;
export type Topic = \`som.\${string}\`;
/** Three numbers with dots. */
export type VersionNumber = \`\${number}.\${number}.\${number}\`;
/** A house's own word. */
export type OwnWord = \`x-\${string}\`;
/** Media in a TAMS store. */
export type TamsUri = \`tams://\${string}/\${string}\`;
/** The name of a vendor's extension. */
export type VendorName = \`com.\${string}.\${string}\`;`;

/** What follows from the types of all payloads. */
export const tail = `export type MessageType = keyof Payloads;

/** A message of one type. */
export interface MessageOf<Type extends MessageType> extends Envelope {
  readonly message_type: Type;
  readonly payload: Payloads[Type];
}

/** Any SOM 1.0 message: its message_type tells its payload. */
export type SomMessage = { readonly [Type in MessageType]: MessageOf<Type> }[MessageType];`;
