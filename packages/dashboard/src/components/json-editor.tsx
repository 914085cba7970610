import { lazy, Suspense } from 'react'
import { after } from '../lib/clock.ts'
import { CODE_STYLE, type CodeProps } from './code-look.ts'
import { Field, type FieldProps } from './field.tsx'

/** Ends when what is drawn now can be seen. A window behind others shows nothing, and waits. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => void after(0, resolve)))
}

const CodeArea = lazy(async () => {
  // The text first: the editor is as large as all the rest of a page.
  await nextPaint()
  return { default: (await import('./code-area.tsx')).CodeArea }
})

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
    <Field helpPosition="above" {...field}>
      {(control) => (
        <div style={{ minHeight: minimumHeight }} className="min-w-0">
          <Suspense fallback={<TextPreview value={value} minimumHeight={minimumHeight} />}>
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

/** More than fits a window. */
const MAX_PREVIEW_CHARACTERS = 8_000

/** What can be read until the editor is there, in its place and in its letters. */
function TextPreview({ value, minimumHeight }: { readonly value: string; readonly minimumHeight: string }) {
  return (
    <pre
      dir="ltr"
      aria-busy="true"
      // The editor's own border comes on top of its heights.
      style={{
        ...CODE_STYLE,
        minHeight: `calc(${minimumHeight} + 2px)`,
        maxHeight: `calc(${CODE_STYLE.maxHeight} + 2px)`,
      }}
      className="overflow-hidden rounded-md border border-line-strong bg-panel ps-1.5 pe-0.5 wrap-anywhere whitespace-break-spaces"
    >
      {value.slice(0, MAX_PREVIEW_CHARACTERS)}
    </pre>
  )
}
