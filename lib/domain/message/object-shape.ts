/** The member names of an object in their order, and what its canonical form makes of them. */
export interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  /** What stands before each member's value in the canonical form: `{"a":`, then `,"b":`, and so on. */
  readonly openings: readonly string[];
}

// Messages of one kind share their shapes: sorting each only once is most of what makes canonical forms cheap.
// Bounded, so that nobody's member names can fill the memory.
const mostPerName = 16;
const mostNames = 512;
const longestName = 64;
const mostKeys = 64;

const known = new Map<string, Shape[]>();

const newShape = (keys: readonly string[]): Shape => {
  // The default order of sort() is that of UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  const sorted = [...keys].sort();
  const openings = sorted.map((key, i) => `${i === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  return { keys, sorted, openings };
};

const hasKeys = (shape: Shape, keys: readonly string[]): boolean => {
  if (shape.keys.length !== keys.length) return false;
  for (let i = 0; i < keys.length; i++) if (shape.keys[i] !== keys[i]) return false;
  return true;
};

const remember = (first: string, shape: Shape): void => {
  const { keys } = shape;
  if (keys.length > mostKeys || keys.some(key => key.length > longestName)) return;
  const shapes = known.get(first);
  if (shapes !== undefined && shapes.length < mostPerName) {
    shapes.push(shape);
    return;
  }
  if (known.size >= mostNames) known.clear();
  known.set(first, [shape]);
};

/** The shape of an object with these members; a pure function that remembers recent answers. */
export const shapeOf = (keys: readonly string[]): Shape => {
  const first = keys[0] ?? '';
  const shapes = known.get(first);
  if (shapes !== undefined) for (const shape of shapes) if (hasKeys(shape, keys)) return shape;
  const shape = newShape(keys);
  remember(first, shape);
  return shape;
};
