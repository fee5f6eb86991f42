/** One failure as ajv reports it, without its text. */
export interface SchemaFailure {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface SchemaValidator {
  /** True when `data` is valid; otherwise `errors` says why, until the next call. */
  (data: unknown, place?: Place): boolean;
  errors?: readonly SchemaFailure[] | null;
}

/** Where the data sits in the message that failures point into. */
export interface Place {
  readonly instancePath: string;
  readonly parentData: object;
  readonly parentDataProperty: string;
}

export const envelope: SchemaValidator;
export const storyContext: SchemaValidator;
export const tellingEvent: SchemaValidator;
export const linkEvent: SchemaValidator;
export const deliveryMediaAvailable: SchemaValidator;
export const systemAudit: SchemaValidator;
export const skillWarning: SchemaValidator;
