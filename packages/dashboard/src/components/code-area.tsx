import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { history, historyKeymap, indentWithTab, standardKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, StateEffect } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { useText } from '../lib/language.ts'
import { CODE_STYLE, type CodeProps, type TextProblem } from './code-style.ts'
import type { ControlProps } from './field.tsx'
import { findJsonProblem } from './json-problem.ts'

const highlightStyle = HighlightStyle.define([
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--accent-text)' },
  { tag: tags.propertyName, color: 'var(--brand-text)' },
])

const editorTheme = EditorView.theme({
  '&': {
    fontSize: CODE_STYLE.fontSize,
    borderRadius: '0.375rem',
    border: '1px solid var(--line-strong)',
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--brand-text)', outlineOffset: '2px' },
  '.cm-content': {
    fontFamily: CODE_STYLE.fontFamily,
    caretColor: 'var(--ink)',
    padding: `${CODE_STYLE.paddingBlock} 0`,
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    border: 'none',
    borderRadius: '0.375rem 0 0 0.375rem',
  },
  '.cm-scroller': { lineHeight: CODE_STYLE.lineHeight, maxHeight: CODE_STYLE.maxHeight, overflow: 'auto' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--brand)', color: 'var(--on-brand)' },
  '.cm-variable': { color: 'var(--brand-text)', fontWeight: '600' },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    backgroundColor: 'var(--warn-soft)',
    textDecoration: 'underline wavy var(--warn)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning, .cm-lintRange-warning .cm-variable, .cm-variable .cm-lintRange-warning': {
    color: 'var(--warn)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--brand) 30%, transparent) !important',
  },
})

const variableMatcher = new MatchDecorator({
  regexp: /\{\{[^{}]*(?:\{\{[^{}]*\}\}[^{}]*)?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-variable' }),
})
const variableHighlighter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = variableMatcher.createDeco(view)
    }
    update(update: ViewUpdate): void {
      this.decorations = variableMatcher.updateDeco(update, this.decorations)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** Reports JSON syntax errors. Empty text is valid, because fields can be empty. */
function lintJson(view: EditorView, translate: (reason: string) => string): Diagnostic[] {
  const text = view.state.doc.toString()
  const problem = text.trim() === '' ? null : findJsonProblem(text)
  if (problem === null) return []
  const to = Math.min(text.length, problem.offset + 1)
  return [
    { from: Math.min(problem.offset, Math.max(0, to - 1)), to, message: translate(problem.reason), severity: 'error' },
  ]
}

function buildLanguageExtensions(language: CodeProps['language'], translate: (reason: string) => string): Extension {
  if (language === 'json')
    return [json(), linter((view) => lintJson(view, translate)), lineNumbers(), bracketMatching()]
  return language === 'prompt' ? [variableHighlighter] : []
}

function createVariableCompleter(names: readonly string[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const prefix = context.matchBefore(/\{\{[\w.]*/)
    if (prefix === null) return null
    return {
      from: prefix.from,
      options: names.map((name) => ({ label: `{{${name}}}`, type: 'variable' })),
      validFor: /^\{\{[\w.]*$/,
    }
  }
}

function toDiagnostics(problems: readonly TextProblem[]): Diagnostic[] {
  return problems.map(({ from, to, message, severity = 'error' }) => ({ from, to, message, severity }))
}

/** Triggers linting after `findProblems` changes. */
const lintEffect = StateEffect.define<null>()

function buildEditingExtensions(language: CodeProps['language']): Extension[] {
  return [
    history(),
    // Tab leaves the editor so that keyboard focus is not trapped.
    keymap.of([...completionKeymap, ...standardKeymap, ...historyKeymap]),
    ...(language === 'json' ? [keymap.of([{ ...indentWithTab, key: 'Mod-]' }])] : []),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    syntaxHighlighting(highlightStyle),
  ]
}

interface LatestProps extends Pick<CodeProps, 'value' | 'onChange'> {
  readonly completions: NonNullable<CodeProps['completions']>
  readonly findProblems: CodeProps['findProblems'] | undefined
  readonly t: ReturnType<typeof useText>
}

/** Builds the extensions that depend on the latest props. */
function buildDynamicExtensions(
  language: CodeProps['language'],
  latest: { readonly current: LatestProps },
): Extension[] {
  return [
    buildLanguageExtensions(language, (reason) => latest.current.t(reason)),
    autocompletion({ override: [(context) => createVariableCompleter(latest.current.completions)(context)] }),
    linter((view) => toDiagnostics(latest.current.findProblems?.(view.state.doc.toString()) ?? []), {
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(lintEffect))),
    }),
    EditorView.updateListener.of((update) => {
      const text = update.state.doc.toString()
      if (update.docChanged && text !== latest.current.value) latest.current.onChange(text)
    }),
  ]
}

/** Renders the editor, which loads in a separate chunk. The parent component owns the text. */
export function CodeArea(props: CodeProps & { readonly control: ControlProps }) {
  const { value, onChange, language, disabled = false, completions = [], findProblems, minHeight, control } = props
  const t = useText()
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef({ value, onChange, completions, findProblems, t })
  const compartment = useRef(new Compartment())
  useEffect(() => {
    latest.current = { value, onChange, completions, findProblems, t }
  })
  useEffect(() => {
    const parent = container.current
    if (parent === null) return
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...buildEditingExtensions(language),
          ...buildDynamicExtensions(language, latest),
          EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: minHeight ?? '12rem' } }),
          editorTheme,
          placeholder(''),
          compartment.current.of([]),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [language, minHeight])
  useEffect(() => {
    view.current?.dispatch({
      effects: compartment.current.reconfigure([
        EditorState.readOnly.of(disabled),
        EditorView.contentAttributes.of({
          id: control.id,
          role: 'textbox',
          tabindex: '0',
          'aria-multiline': 'true',
          'aria-labelledby': `${control.id}-label`,
          ...(control['aria-describedby'] && { 'aria-describedby': control['aria-describedby'] }),
          ...(control['aria-invalid'] && { 'aria-invalid': 'true' }),
        }),
      ]),
    })
  }, [control.id, control['aria-describedby'], control['aria-invalid'], disabled])
  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    const displayedText = editor.state.doc.toString()
    if (displayedText !== value) editor.dispatch({ changes: { from: 0, to: displayedText.length, insert: value } })
  }, [value])
  useEffect(() => {
    if (findProblems !== undefined) view.current?.dispatch({ effects: lintEffect.of(null) })
  }, [findProblems])
  return <div ref={container} dir="ltr" />
}
