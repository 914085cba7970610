/** Shared by the editor and its placeholder while it loads. */
export const CODE_STYLE = {
  fontFamily: 'ui-monospace, monospace',
  fontSize: '0.8125rem',
  lineHeight: '1.4',
  paddingBlock: '0.5rem',
  maxHeight: '70vh',
} as const

export interface TextProblem {
  /** In characters. */
  readonly from: number
  readonly to: number
  readonly message: string
  /** Default: error. */
  readonly severity?: 'error' | 'warning'
}

export interface CodeProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly language: 'json' | 'prompt' | 'plain'
  readonly disabled?: boolean
  /** Variable names offered while typing. */
  readonly completions?: readonly string[]
  /** Problems beyond the grammar. */
  readonly problemsOf?: (text: string) => readonly TextProblem[]
  readonly minimumHeight?: string
}
