import type { EditorView } from '@codemirror/view'
import type { ErrorDetail } from '@parley/contract/errors'
import { useCallback, useEffect, useRef } from 'react'
import type { TextProblem } from '../../components/code-style.ts'
import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { findPositionInTree, readTree } from './json-tree.ts'

/** A request to display a position; a new `step` repeats the request. */
export interface JsonTarget {
  /** Path in the document, or null for the position of a syntax error. */
  readonly path: string | null
  readonly step: number
}

export interface FlowJsonProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly errors: readonly ErrorDetail[]
  readonly target: JsonTarget | null
  readonly disabled: boolean
}

/** Renders the flow as JSON and marks server errors. */
export function FlowJson({ text, onChange, errors, target, disabled }: FlowJsonProps) {
  const t = useText()
  const container = useRef<HTMLDivElement>(null)
  const problemsOf = useCallback((displayedText: string) => locateErrors(displayedText, errors), [errors])

  useEffect(() => {
    if (container.current === null) return
    const abort = new AbortController()
    void markProblems(container.current, errors, abort.signal)
    return () => abort.abort()
  }, [errors])

  useEffect(() => {
    if (container.current === null || target === null) return
    const abort = new AbortController()
    void selectPath(container.current, target.path, abort.signal)
    return () => abort.abort()
  }, [target])

  return (
    <div ref={container} className="min-w-0">
      <CodeField
        label={t('Flow as JSON')}
        help={t('All fields of the API. Removed fields return to their defaults.')}
        language="json"
        minimumHeight="24rem"
        value={text}
        onChange={onChange}
        disabled={disabled}
        findProblems={problemsOf}
      />
    </div>
  )
}

async function markProblems(
  container: HTMLElement,
  errors: readonly ErrorDetail[],
  signal: AbortSignal,
): Promise<void> {
  const editor = await loadEditor(container, signal)
  if (editor !== null) await markErrors(editor, locateErrors(editor.state.doc.toString(), errors))
}

async function selectPath(container: HTMLElement, path: string | null, signal: AbortSignal): Promise<void> {
  const editor = await loadEditor(container, signal)
  const place = editor === null ? null : findPosition(editor.state.doc.toString(), path)
  if (editor !== null && place !== null) await selectRange(editor, place)
}

function locateErrors(text: string, errors: readonly ErrorDetail[]): TextProblem[] {
  const read = readTree(text)
  if ('faultAt' in read) return []
  return errors.map(({ path, message }) => ({ ...findPositionInTree(read.tree, path), message }))
}

function findPosition(text: string, path: string | null): { from: number; to: number } | null {
  const read = readTree(text)
  if ('faultAt' in read) return { from: read.faultAt, to: read.faultAt }
  return path === null ? null : findPositionInTree(read.tree, path)
}

/** Returns the editor inside an element after the editor loads. */
async function loadEditor(container: HTMLElement, signal: AbortSignal): Promise<EditorView | null> {
  const { EditorView } = await import('@codemirror/view')
  const find = (): EditorView | null => {
    const element = container.querySelector<HTMLElement>('.cm-editor')
    return element === null ? null : EditorView.findFromDOM(element)
  }
  return await new Promise((resolve) => {
    const check = (): boolean => {
      const result = signal.aborted ? null : find()
      if (result === null && !signal.aborted) return false
      observer.disconnect()
      resolve(result)
      return true
    }
    const observer = new MutationObserver(check)
    if (check()) return
    observer.observe(container, { childList: true, subtree: true })
    signal.addEventListener('abort', check)
  })
}

async function selectRange(
  editor: EditorView,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const { EditorView } = await import('@codemirror/view')
  const end = editor.state.doc.length
  editor.focus()
  editor.dispatch({
    selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
    effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
  })
}

/** Marks errors immediately instead of after the next edit. */
async function markErrors(editor: EditorView, problems: readonly TextProblem[]): Promise<void> {
  const { setDiagnostics } = await import('@codemirror/lint')
  const end = editor.state.doc.length
  const diagnostics = problems
    .filter(({ to }) => to <= end)
    .map(({ from, to, message }) => ({ from, to, message, severity: 'error' as const }))
  editor.dispatch(setDiagnostics(editor.state, diagnostics))
}
