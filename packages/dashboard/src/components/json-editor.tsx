import { lazy, Suspense } from 'react'
import { setTimer } from '../lib/clock.ts'
import { CODE_STYLE, type CodeProps } from './code-style.ts'
import { Field, type FieldProps } from './field.tsx'

/** Resolves after the next paint. */
function waitForPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => void setTimer(0, resolve)))
}

const CodeArea = lazy(async () => {
  // Paints the text first, because the editor code is as large as the rest of the page.
  await waitForPaint()
  return { default: (await import('./code-area.tsx')).CodeArea }
})

/** Renders a code editor, loaded on first use. */
export function CodeField({
  value,
  onChange,
  language,
  disabled,
  completions,
  findProblems,
  minHeight = '12rem',
  ...field
}: Omit<FieldProps, 'children'> & CodeProps) {
  return (
    <Field helpPosition="above" {...field}>
      {(control) => (
        <div style={{ minHeight }} className="min-w-0">
          <Suspense fallback={<TextPreview value={value} minHeight={minHeight} />}>
            <CodeArea
              value={value}
              onChange={onChange}
              language={language}
              minHeight={minHeight}
              control={control}
              {...(disabled !== undefined && { disabled })}
              {...(completions !== undefined && { completions })}
              {...(findProblems !== undefined && { findProblems: findProblems })}
            />
          </Suspense>
        </div>
      )}
    </Field>
  )
}

const MAX_PREVIEW_CHARACTERS = 8_000

/** Displays the text in the same position and font until the editor loads. */
function TextPreview({ value, minHeight }: { readonly value: string; readonly minHeight: string }) {
  return (
    <pre
      dir="ltr"
      aria-busy="true"
      // The editor's border adds to its heights.
      style={{
        ...CODE_STYLE,
        minHeight: `calc(${minHeight} + 2px)`,
        maxHeight: `calc(${CODE_STYLE.maxHeight} + 2px)`,
      }}
      className="overflow-hidden rounded-md border border-line-strong bg-panel ps-1.5 pe-0.5 wrap-anywhere whitespace-break-spaces"
    >
      {value.slice(0, MAX_PREVIEW_CHARACTERS)}
    </pre>
  )
}
