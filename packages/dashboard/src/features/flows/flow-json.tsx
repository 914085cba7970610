import type { EditorView } from '@codemirror/view'
import type { ErrorDetail } from '@parley/contract/errors'
import { useCallback, useEffect, useRef } from 'react'
import type { TextProblem } from '../../components/code-look.ts'
import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { readTree } from './json-tree.ts'
import { placeInTree } from './path-to-position.ts'

/** A wish to see a place of the text; another `step` is another wish for the same place. */
export interface Going {
  /** Path of the document; null for where the text stops being JSON. */
  readonly path: string | null
  readonly step: number
}

export interface FlowJsonProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly errors: readonly ErrorDetail[]
  readonly going: Going | null
  readonly disabled: boolean
}

/** The whole flow as text. What the server found wrong is marked where it stands. */
export function FlowJson({ text, onChange, errors, going, disabled }: FlowJsonProps) {
  const t = useText()
  const container = useRef<HTMLDivElement>(null)
  const problemsOf = useCallback((shown: string) => placed(shown, errors), [errors])

  useEffect(() => {
    if (container.current === null) return
    const abort = new AbortController()
    void mark(container.current, errors, abort.signal)
    return () => abort.abort()
  }, [errors])

  useEffect(() => {
    if (container.current === null || going === null) return
    const abort = new AbortController()
    void show(container.current, going.path, abort.signal)
    return () => abort.abort()
  }, [going])

  return (
    <div ref={container} className="min-w-0">
      <CodeField
        label={t('The flow as JSON')}
        help={t('Everything that can be set, with the names of the API. What is left out goes back to its default.')}
        language="json"
        minimumHeight="24rem"
        value={text}
        onChange={onChange}
        disabled={disabled}
        problemsOf={problemsOf}
      />
    </div>
  )
}

async function mark(container: HTMLElement, errors: readonly ErrorDetail[], signal: AbortSignal): Promise<void> {
  const editor = await editorIn(container, signal)
  if (editor !== null) await markPlaces(editor, placed(editor.state.doc.toString(), errors))
}

async function show(container: HTMLElement, path: string | null, signal: AbortSignal): Promise<void> {
  const editor = await editorIn(container, signal)
  const place = editor === null ? null : placeOf(editor.state.doc.toString(), path)
  if (editor !== null && place !== null) await selectPlace(editor, place)
}

function placed(text: string, errors: readonly ErrorDetail[]): TextProblem[] {
  const read = readTree(text)
  if ('faultAt' in read) return []
  return errors.map(({ path, message }) => ({ ...placeInTree(read.tree, path), message }))
}

function placeOf(text: string, path: string | null): { from: number; to: number } | null {
  const read = readTree(text)
  if ('faultAt' in read) return { from: read.faultAt, to: read.faultAt }
  return path === null ? null : placeInTree(read.tree, path)
}

/** The editor inside an element, as soon as it is there. */
async function editorIn(container: HTMLElement, signal: AbortSignal): Promise<EditorView | null> {
  const { EditorView } = await import('@codemirror/view')
  const find = (): EditorView | null => {
    const element = container.querySelector<HTMLElement>('.cm-editor')
    return element === null ? null : EditorView.findFromDOM(element)
  }
  return await new Promise((resolve) => {
    const look = (): boolean => {
      const found = signal.aborted ? null : find()
      if (found === null && !signal.aborted) return false
      observer.disconnect()
      resolve(found)
      return true
    }
    const observer = new MutationObserver(look)
    if (look()) return
    observer.observe(container, { childList: true, subtree: true })
    signal.addEventListener('abort', look)
  })
}

/** Selects a place of the text, in sight, ready to be typed over. */
async function selectPlace(
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

/** Marks places at once, without waiting for the next time that something is typed. */
async function markPlaces(editor: EditorView, problems: readonly TextProblem[]): Promise<void> {
  const { setDiagnostics } = await import('@codemirror/lint')
  const end = editor.state.doc.length
  const diagnostics = problems
    .filter(({ to }) => to <= end)
    .map(({ from, to, message }) => ({ from, to, message, severity: 'error' as const }))
  editor.dispatch(setDiagnostics(editor.state, diagnostics))
}
