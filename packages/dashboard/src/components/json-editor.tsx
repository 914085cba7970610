import { lazy, Suspense } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { Skeleton } from './states.tsx'

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

const CodeArea = lazy(async () => ({ default: (await import('./code-area.tsx')).CodeArea }))

/** An editor with colours, completion and marks for what is wrong; loaded when it is first needed. */
export function CodeField({
  value,
  onChange,
  language,
  disabled,
  completions,
  problemsOf,
  minimumHeight = '12rem',
  ...field
}: Omit<FieldProps, 'children'> & CodeProps) {
  return (
    <Field {...field}>
      {(control) => (
        <div style={{ minHeight: minimumHeight }} className="min-w-0">
          <Suspense fallback={<Skeleton lines={4} />}>
            <CodeArea
              value={value}
              onChange={onChange}
              language={language}
              minimumHeight={minimumHeight}
              control={control}
              {...(disabled !== undefined && { disabled })}
              {...(completions !== undefined && { completions })}
              {...(problemsOf !== undefined && { problemsOf })}
            />
          </Suspense>
        </div>
      )}
    </Field>
  )
}
