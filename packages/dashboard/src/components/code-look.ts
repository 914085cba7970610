/** How code and prompts are written: in the editor, and in its place until it is loaded. */
export const CODE_STYLE = {
  fontFamily: 'ui-monospace, monospace',
  fontSize: '0.8125rem',
  lineHeight: '1.4',
  paddingBlock: '0.5rem',
  maxHeight: '70vh',
} as const

/** A place in a text, with what is wrong there. */
export interface TextProblem {
  /** Characters from the beginning. */
  readonly from: number
  readonly to: number
  readonly message: string
  /** An error by default; a warning is about what may be meant so. */
  readonly severity?: 'error' | 'warning'
}

export interface CodeProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly language: 'json' | 'prompt' | 'plain'
  readonly disabled?: boolean
  /** Words offered while typing: names of variables in a prompt. */
  readonly completions?: readonly string[]
  /** What is wrong beyond the grammar, found in the text as it is now. */
  readonly problemsOf?: (text: string) => readonly TextProblem[]
  readonly minimumHeight?: string
}
