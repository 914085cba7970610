import type { EditorView } from '@codemirror/view'
import type { ErrorDetail } from '@parley/contract/errors'
import { useCallback, useEffect, useRef } from 'react'
import type { TextProblem } from '../../components/code-style.ts'
import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { findPositionInTree, parseTree } from './json-tree.ts'

/** A request to show a position. Incrementing `revision` repeats the request. */
export interface JsonTarget {
  /** Path in the document, or null for the position of a syntax error. */
  readonly path: string | null
  readonly revision: number
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
  const findProblems = useCallback((editorText: string) => locateErrors(editorText, errors), [errors])

  useEffect(() => {
    if (container.current === null) return
    const controller = new AbortController()
    void showErrors(container.current, errors, controller.signal)
    return () => controller.abort()
  }, [errors])

  useEffect(() => {
    if (container.current === null || target === null) return
    const controller = new AbortController()
    void selectPath(container.current, target.path, controller.signal)
    return () => controller.abort()
  }, [target])

  return (
    <div ref={container} className="min-w-0">
      <CodeField
        label={t('Flow as JSON')}
        help={t('All fields of the API. Removed fields return to their defaults.')}
        language="json"
        minHeight="24rem"
        value={text}
        onChange={onChange}
        disabled={disabled}
        findProblems={findProblems}
      />
    </div>
  )
}

async function showErrors(container: HTMLElement, errors: readonly ErrorDetail[], signal: AbortSignal): Promise<void> {
  const editor = await loadEditor(container, signal)
  if (editor !== null) await markErrors(editor, locateErrors(editor.state.doc.toString(), errors))
}

async function selectPath(container: HTMLElement, path: string | null, signal: AbortSignal): Promise<void> {
  const editor = await loadEditor(container, signal)
  const range = editor === null ? null : findPosition(editor.state.doc.toString(), path)
  if (editor !== null && range !== null) await selectRange(editor, range)
}

function locateErrors(text: string, errors: readonly ErrorDetail[]): TextProblem[] {
  const parsed = parseTree(text)
  if ('errorOffset' in parsed) return []
  return errors.map(({ path, message }) => ({ ...findPositionInTree(parsed.tree, path), message }))
}

function findPosition(text: string, path: string | null): { from: number; to: number } | null {
  const parsed = parseTree(text)
  if ('errorOffset' in parsed) return { from: parsed.errorOffset, to: parsed.errorOffset }
  return path === null ? null : findPositionInTree(parsed.tree, path)
}

/** Returns the editor inside an element after the editor loads. */
async function loadEditor(container: HTMLElement, signal: AbortSignal): Promise<EditorView | null> {
  const { EditorView } = await import('@codemirror/view')
  const findEditor = (): EditorView | null => {
    const element = container.querySelector<HTMLElement>('.cm-editor')
    return element === null ? null : EditorView.findFromDOM(element)
  }
  return await new Promise((resolve) => {
    const resolveIfReady = (): boolean => {
      const editor = signal.aborted ? null : findEditor()
      if (editor === null && !signal.aborted) return false
      observer.disconnect()
      resolve(editor)
      return true
    }
    const observer = new MutationObserver(resolveIfReady)
    if (resolveIfReady()) return
    observer.observe(container, { childList: true, subtree: true })
    signal.addEventListener('abort', resolveIfReady)
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
