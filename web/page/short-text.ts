/** The first characters of a text, with an ellipsis if there are more. */
export const shortened = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : text;
};
