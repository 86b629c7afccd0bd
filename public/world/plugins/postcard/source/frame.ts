/** A line of text with a frame around it. */
export function frame(text: string): string {
  const edge = '─'.repeat([...text].length + 2);
  return `╭${edge}╮\n│ ${text} │\n╰${edge}╯`;
}
