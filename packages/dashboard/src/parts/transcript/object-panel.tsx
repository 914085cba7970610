import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { objectOf, PairsField, pairsOf } from '../../components/strings-field.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { type FreeObject, readObject } from './free-object.ts'
import { ValueList } from './value-list.tsx'

export interface ObjectPanelProps {
  readonly title: string
  readonly description: string
  readonly value: FreeObject
  /** Its name in the body that is sent. */
  readonly name: string
  /** `texts`: names with texts; `json`: names with anything. */
  readonly kind: 'texts' | 'json'
  /** Stores another object in its place; resolves once that is done. Absent for those who may only look. */
  readonly onSave: ((value: FreeObject) => Promise<unknown>) | undefined
}

/** Data of a customer's own that a record carries, to look at and to edit. */
export function ObjectPanel(props: ObjectPanelProps) {
  const { title, description, value, onSave } = props
  const t = useText()
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title={title}
      description={description}
      actions={
        onSave && (
          <Button icon={Pencil} aria-label={t('Edit {name}', { name: title })} onClick={() => setIsEditing(true)}>
            {t('Edit')}
          </Button>
        )
      }
    >
      <ValueList value={value} />
      {isEditing && onSave && <ObjectDialog {...props} onSave={onSave} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

function ObjectDialog({
  title,
  value,
  name,
  kind,
  onSave,
  onClose,
}: ObjectPanelProps & { readonly onSave: (value: FreeObject) => Promise<unknown>; readonly onClose: () => void }) {
  const t = useText()
  const [pairs, setPairs] = useState(() => pairsOf(value))
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Error | null>(null)
  const edited = kind === 'texts' ? objectOf(pairs) : readObject(text)
  async function save(): Promise<void> {
    if (edited === null) return
    setIsSaving(true)
    try {
      await onSave(edited)
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
      setIsSaving(false)
    }
  }
  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={onClose}
      title={title}
      submitLabel={t('Save')}
      isBusy={isSaving}
      canSubmit={edited !== null}
      problem={problem}
      onSubmit={() => void save()}
    >
      <FieldProblems details={problem instanceof Problem ? problem.details : []}>
        {kind === 'texts' ? (
          <PairsField label={title} name={name} value={pairs} onChange={setPairs} addLabel={t('Add a value')} />
        ) : (
          <CodeField
            label={title}
            help={t('A JSON object: names in quotes, with any values.')}
            name={name}
            language="json"
            value={text}
            onChange={setText}
            {...(edited === null && { error: t('This is not a JSON object yet.') })}
          />
        )}
      </FieldProblems>
    </FormDialog>
  )
}
