/** How code and prompts are written: in the editor, and in its place until it is loaded. */
export const CODE_LOOK = {
  fontFamily: 'ui-monospace, monospace',
  fontSize: '0.8125rem',
  lineHeight: '1.4',
  paddingBlock: '0.5rem',
  maxHeight: '70vh',
} as const
