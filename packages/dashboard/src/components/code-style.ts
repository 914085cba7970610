/** Styles of the code editor and its loading placeholder. */
export const CODE_STYLE = {
  fontFamily: 'ui-monospace, monospace',
  fontSize: '0.8125rem',
  lineHeight: '1.4',
  paddingBlock: '0.5rem',
  maxHeight: '70vh',
} as const

export interface TextProblem {
  /** Character offset. */
  readonly from: number
  readonly to: number
  readonly message: string
  /** Defaults to `error`. */
  readonly severity?: 'error' | 'warning'
}

export interface CodeProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly language: 'json' | 'prompt' | 'plain'
  readonly disabled?: boolean
  /** Variable names to suggest while the user types. */
  readonly completions?: readonly string[]
  /** Returns problems other than syntax errors. */
  readonly findProblems?: (text: string) => readonly TextProblem[]
  readonly minHeight?: string
}
