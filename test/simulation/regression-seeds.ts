/** Seeds that once found a bug, and which bug. They always run first. */
export const regressionSeeds: readonly (readonly [number, string])[] = [
  [
    463,
    'a commit whose try was repeated came back as a conflict, and a failed read then said "nothing was accepted"',
  ],
  [854, 'the same, while a relay ran'],
  [1300, 'the same, with two clients sending the message at once'],
];
