import type { SchemaValidator } from './som-1.0.generated.js';

export const envelope: SchemaValidator;
export const storyContext: SchemaValidator;
export const tellingEvent: SchemaValidator;
export const linkEvent: SchemaValidator;
export const deliveryMediaAvailable: SchemaValidator;
export const systemAudit: SchemaValidator;
export const skillWarning: SchemaValidator;
