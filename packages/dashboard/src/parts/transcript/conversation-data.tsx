import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { PairsField, toObject, toPairs } from '../../components/strings-field.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { type CustomData, formatValue, readObject } from './custom-data.ts'

const MAX_LISTED_VALUES = 200

/** A custom data object with its field name in the request body. */
export type NamedObject<Name extends string> = readonly [name: Name, value: CustomData]

export interface ConversationDataProps<Name extends string> {
  readonly variables: CustomData
  readonly variablesHelp: string
  readonly overrides: NamedObject<Name>
  readonly overridesHelp: string
  readonly metadata: NamedObject<Name>
  readonly attributes: NamedObject<Name>
  /** Absent for users who cannot edit. */
  readonly onSave: ((name: Name, value: CustomData) => Promise<void>) | undefined
}

/** Displays the variables and custom data of a conversation. */
export function ConversationData<Name extends string>(props: ConversationDataProps<Name>) {
  const { onSave } = props
  const t = useText()
  const buildPanelProps = ([name, value]: NamedObject<Name>) => ({
    name,
    value,
    onSave: onSave && ((newValue: CustomData) => onSave(name, newValue)),
  })
  return (
    <>
      <Panel title={t('Variables')} description={props.variablesHelp}>
        <ValueList value={props.variables} />
      </Panel>
      <CustomDataPanel
        title={t('Variable overrides')}
        description={props.overridesHelp}
        kind="texts"
        {...buildPanelProps(props.overrides)}
      />
      <CustomDataPanel
        title={t('Metadata')}
        description={t('Custom data, sent to tools and webhooks.')}
        kind="json"
        {...buildPanelProps(props.metadata)}
      />
      <CustomDataPanel
        title={t('Custom attributes')}
        description={t('Additional custom data.')}
        kind="json"
        {...buildPanelProps(props.attributes)}
      />
    </>
  )
}

function ValueList({ value }: { readonly value: CustomData }) {
  const t = useText()
  const entries = Object.entries(value)
  if (entries.length === 0) return <p className="text-muted">{t('No data')}</p>
  return (
    <>
      <dl className="flex flex-col divide-y divide-line">
        {entries.slice(0, MAX_LISTED_VALUES).map(([name, item]) => (
          <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[minmax(6rem,2fr)_3fr]">
            <dt dir="auto" className="min-w-0 text-muted">
              {name}
            </dt>
            <dd dir="auto" className="max-h-40 min-w-0 overflow-y-auto whitespace-pre-wrap">
              {formatValue(item)}
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > MAX_LISTED_VALUES && (
        <p className="text-muted">
          {t('The JSON below has {count, plural, one {# more value} other {# more values}}.', {
            count: entries.length - MAX_LISTED_VALUES,
          })}
        </p>
      )}
    </>
  )
}

interface CustomDataPanelProps {
  readonly title: string
  readonly description: string
  readonly value: CustomData
  /** Name of the field in the request body. */
  readonly name: string
  /** `texts` allows only string values. */
  readonly kind: 'texts' | 'json'
  readonly onSave: ((value: CustomData) => Promise<unknown>) | undefined
}

function CustomDataPanel(props: CustomDataPanelProps) {
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
      {isEditing && onSave && <CustomDataDialog {...props} onSave={onSave} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

interface CustomDataDialogProps extends CustomDataPanelProps {
  readonly onSave: (value: CustomData) => Promise<unknown>
  readonly onClose: () => void
}

function CustomDataDialog({ title, value, name, kind, onSave, onClose }: CustomDataDialogProps) {
  const t = useText()
  const [pairs, setPairs] = useState(() => toPairs(value))
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Error | null>(null)
  const editedValue = kind === 'texts' ? toObject(pairs) : readObject(text)
  async function save(): Promise<void> {
    if (editedValue === null) return
    setIsSaving(true)
    try {
      await onSave(editedValue)
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
      canSubmit={editedValue !== null}
      problem={problem}
      onSubmit={() => void save()}
    >
      <FieldProblems details={problem instanceof Problem ? problem.details : []}>
        {kind === 'texts' ? (
          <PairsField label={title} name={name} value={pairs} onChange={setPairs} addLabel={t('Add value')} />
        ) : (
          <CodeField
            label={title}
            help={t('A JSON object.')}
            name={name}
            language="json"
            value={text}
            onChange={setText}
            {...(editedValue === null && { error: t('Enter a valid JSON object.') })}
          />
        )}
      </FieldProblems>
    </FormDialog>
  )
}
