import type { EditorView } from '@codemirror/view'
import type { TextProblem } from '../../components/code-look.ts'

/** The editor inside an element, as soon as it is there. */
export async function editorIn(container: HTMLElement, signal: AbortSignal): Promise<EditorView | null> {
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
export async function selectPlace(
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
export async function markPlaces(editor: EditorView, problems: readonly TextProblem[]): Promise<void> {
  const { setDiagnostics } = await import('@codemirror/lint')
  const end = editor.state.doc.length
  const diagnostics = problems
    .filter(({ to }) => to <= end)
    .map(({ from, to, message }) => ({ from, to, message, severity: 'error' as const }))
  editor.dispatch(setDiagnostics(editor.state, diagnostics))
}
