import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { problemOfObject, useProblemWords } from './json-text.ts'
import { setText, type ToolDraft, textOf } from './tool-draft.ts'

/** The whole tool as JSON, with everything that no form knows. */
export function ToolJsonTab({
  draft,
  onChange,
  disabled,
}: {
  readonly draft: ToolDraft
  readonly onChange: (change: (draft: ToolDraft) => ToolDraft) => void
  readonly disabled: boolean
}) {
  const t = useText()
  const words = useProblemWords()
  const text = textOf(draft)
  const problem = problemOfObject(text)
  return (
    <CodeField
      label={t('Tool as JSON')}
      language="json"
      minimumHeight="24rem"
      value={text}
      onChange={(typed) => onChange((current) => setText(current, typed))}
      disabled={disabled}
      {...(problem !== null && { error: words(problem) })}
    />
  )
}
