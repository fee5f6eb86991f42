import { ceilings, measure } from '../../scripts/measure.ts';

const figures = measure();

test.each(Object.entries(ceilings))('%s: at most %i', (name, most) => {
  expect(figures[name]).toBeLessThanOrEqual(most);
});
