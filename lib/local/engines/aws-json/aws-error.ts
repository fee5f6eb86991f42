/** How an error looks on the wire: what SDKs pick their error class by. */
export interface AwsErrorShape {
  /** `namespace#Name`. */
  readonly type: string;
  readonly status: number;
  /** The code of the older query protocol, which SDKs of services that once spoke it report instead. */
  readonly queryCode?: string;
}

/** A refusal in a service's own words: the request was understood and cannot be done. */
export class AwsError extends Error {
  readonly shape: AwsErrorShape;

  constructor(shape: AwsErrorShape, message: string) {
    super(message);
    this.name = shape.type.slice(shape.type.indexOf('#') + 1);
    this.shape = shape;
  }
}

const coral = (name: string, status: number): AwsErrorShape => ({
  type: `com.amazon.coral.service#${name}`,
  status,
});

/** The errors of the protocol itself, the same for every service. */
export const protocolErrors = {
  serialization: coral('SerializationException', 400),
  unknownOperation: coral('UnknownOperationException', 400),
  accessDenied: coral('AccessDeniedException', 403),
  tooLarge: coral('RequestEntityTooLargeException', 413),
  internalFailure: coral('InternalFailure', 500),
  unavailable: coral('ServiceUnavailableException', 503),
} as const;
