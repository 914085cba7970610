import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { useFieldProblem } from '../../../components/field.tsx'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../../components/fields.tsx'
import { Menu } from '../../../components/menu.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { message, useText } from '../../../lib/language.ts'
import { buildChoices, type ChatFieldProps, FIELD_GRID, FULL_WIDTH, type VoiceFieldProps } from './agent-part.ts'
import {
  type AnalysisItem,
  type AnalysisType,
  changeItemType,
  findMissingPresets,
  type PRESETS,
  type PresetName,
  pickCommonFields,
  setCommonFields,
} from './analysis-item.ts'

export const CallAnalysisField = ({ value, onChange, disabled }: VoiceFieldProps) => (
  <AnalysisField
    kind="agent"
    name="post_call_analysis_data"
    items={value.post_call_analysis_data}
    onItemsChange={(items) => onChange({ post_call_analysis_data: items })}
    disabled={disabled}
  />
)

export const ChatAnalysisField = ({ value, onChange, disabled }: ChatFieldProps) => (
  <AnalysisField
    kind="chat-agent"
    name="post_chat_analysis_data"
    items={value.post_chat_analysis_data}
    onItemsChange={(items) => onChange({ post_chat_analysis_data: items })}
    disabled={disabled}
  />
)

interface AnalysisFieldProps {
  readonly kind: keyof typeof PRESETS
  readonly name: string
  readonly items: readonly AnalysisItem[]
  readonly onItemsChange: (items: AnalysisItem[]) => void
  readonly disabled: boolean
}

function AnalysisField({ kind, name, items, onItemsChange, disabled }: AnalysisFieldProps) {
  const problem = useFieldProblem(name)
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${FULL_WIDTH}`}>
      {items.map((item, index) => (
        <AnalysisItemFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while the user types.
          key={index}
          item={item}
          path={`${name}[${index}]`}
          number={index + 1}
          disabled={disabled}
          onChange={(newItem) =>
            onItemsChange(items.map((existingItem, itemIndex) => (itemIndex === index ? newItem : existingItem)))
          }
          onRemove={() => onItemsChange(items.filter((_item, itemIndex) => itemIndex !== index))}
        />
      ))}
      {problem && (
        <p role="alert" dir="auto" className="text-bad">
          {problem}
        </p>
      )}
      {!disabled && <AddButtons kind={kind} items={items} onItemsChange={onItemsChange} />}
    </div>
  )
}

function AddButtons({ kind, items, onItemsChange }: Pick<AnalysisFieldProps, 'kind' | 'items' | 'onItemsChange'>) {
  const t = useText()
  const presets = findMissingPresets(items, kind)
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={Plus} onClick={() => onItemsChange([...items, { type: 'string', name: '', description: '' }])}>
        {t('Add field')}
      </Button>
      {presets.length > 0 && (
        <Menu
          trigger={<Button kind="quiet">{t('Add preset')}</Button>}
          items={presets.map((name) => ({
            label: t(PRESET_LABELS[name]),
            onSelect: () => onItemsChange([...items, { type: 'system-presets', name }]),
          }))}
        />
      )}
    </div>
  )
}

const PRESET_LABELS: Readonly<Record<PresetName, string>> = {
  chat_summary: message('Summary'),
  call_summary: message('Summary'),
  chat_successful: message('Success'),
  call_successful: message('Success'),
  user_sentiment: message('User sentiment'),
}

const TYPE_LABELS: Readonly<Record<Exclude<AnalysisType, 'system-presets'>, string>> = {
  string: message('Text'),
  enum: message('Choice'),
  boolean: message('Yes/no'),
  number: message('Number'),
}

interface AnalysisItemFieldsProps {
  readonly item: AnalysisItem
  /** Path in the request body. */
  readonly path: string
  readonly number: number
  readonly disabled: boolean
  readonly onChange: (item: AnalysisItem) => void
  readonly onRemove: () => void
}

function AnalysisItemFields({ item, path, number, disabled, onChange, onRemove }: AnalysisItemFieldsProps) {
  const t = useText()
  const { description, required, condition } = pickCommonFields(item)
  const [isCustomized] = useState(description !== '' || required || condition !== '')
  const isPreset = item.type === 'system-presets'
  const title = isPreset ? t(PRESET_LABELS[item.name]) : item.name || t('Field {number}', { number })
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {title}
        </h3>
        {!disabled && <IconButton icon={Trash2} label={t('Remove {name}', { name: title })} onClick={onRemove} />}
      </div>
      {isPreset ? (
        <details open={isCustomized}>
          <summary className="min-h-8 w-fit cursor-pointer text-muted hover:text-ink">{t('Customize')}</summary>
          <div className="flex flex-col gap-3 pt-2">
            <ItemDetails item={item} path={path} disabled={disabled} onChange={onChange} />
          </div>
        </details>
      ) : (
        <>
          <NameAndTypeFields item={item} path={path} disabled={disabled} onChange={onChange} />
          <ItemDetails item={item} path={path} disabled={disabled} onChange={onChange} />
        </>
      )}
    </section>
  )
}

type ItemProps = Pick<AnalysisItemFieldsProps, 'item' | 'path' | 'disabled' | 'onChange'>

function ItemDetails({ item, path, disabled, onChange }: ItemProps) {
  const t = useText()
  const { description, required, condition } = pickCommonFields(item)
  const isPreset = item.type === 'system-presets'
  return (
    <>
      <TextAreaField
        label={isPreset ? t('Instructions') : t('Description')}
        name={`${path}.description`}
        isOptional={isPreset}
        rows={2}
        disabled={disabled}
        value={description}
        onChange={(text) => onChange(setCommonFields(item, { description: text }))}
      />
      <ValueFields item={item} path={path} disabled={disabled} onChange={onChange} />
      <TextField
        label={t('Condition')}
        name={`${path}.conditional_prompt`}
        isOptional
        disabled={disabled}
        value={condition}
        onChange={(text) => onChange(setCommonFields(item, { condition: text }))}
      />
      <SwitchField
        label={t('Required')}
        disabled={disabled}
        value={required}
        onChange={(isOn) => onChange(setCommonFields(item, { required: isOn }))}
      />
    </>
  )
}

function NameAndTypeFields({ item, path, disabled, onChange }: ItemProps) {
  const t = useText()
  if (item.type === 'system-presets') return null
  return (
    <div className={FIELD_GRID}>
      <TextField
        label={t('Name')}
        name={`${path}.name`}
        spellCheck={false}
        maxLength={200}
        disabled={disabled}
        value={item.name}
        onChange={(name) => onChange(setCommonFields(item, { name }))}
      />
      <SelectField
        label={t('Type')}
        disabled={disabled}
        value={item.type}
        choices={buildChoices(TYPE_LABELS, t)}
        onChange={(type) => onChange(changeItemType(item, type))}
      />
    </div>
  )
}

function ValueFields({ item, path, disabled, onChange }: ItemProps) {
  const t = useText()
  if (item.type === 'string') {
    return (
      <LinesField
        label={t('Examples')}
        name={`${path}.examples`}
        isOptional
        help={t('One per line.')}
        disabled={disabled}
        value={item.examples ?? []}
        onChange={(examples) => {
          const { examples: _examples, ...rest } = item
          onChange(examples.length === 0 ? rest : { ...rest, examples })
        }}
      />
    )
  }
  if (item.type !== 'enum') return null
  return (
    <LinesField
      label={t('Choices')}
      name={`${path}.choices`}
      help={t('One per line.')}
      disabled={disabled}
      value={item.choices}
      onChange={(choices) => onChange({ ...item, choices })}
    />
  )
}
