import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../../components/fields.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { message, useText } from '../../../lib/language.ts'
import { FIELD_GRID } from './agent-part.ts'
import {
  type AnalysisItem,
  type AnalysisType,
  commonOf,
  type PresetName,
  withCommon,
  withType,
} from './analysis-item.ts'
import { choicesOf } from './choices-of.ts'

export const PRESET_WORDS: Readonly<Record<PresetName, string>> = {
  chat_summary: message('Summary'),
  call_summary: message('Summary'),
  chat_successful: message('Success'),
  call_successful: message('Success'),
  user_sentiment: message('Mood of the user'),
}

const TYPE_WORDS: Readonly<Record<Exclude<AnalysisType, 'system-presets'>, string>> = {
  string: message('Text'),
  enum: message('One of several'),
  boolean: message('Yes or no'),
  number: message('Number'),
}

export interface AnalysisItemFieldsProps {
  readonly item: AnalysisItem
  /** Where it stands in the body, for problems of its fields. */
  readonly path: string
  readonly number: number
  readonly disabled: boolean
  readonly onChange: (item: AnalysisItem) => void
  readonly onRemove: () => void
}

/** One thing to find out, as a card. */
export function AnalysisItemFields({ item, path, number, disabled, onChange, onRemove }: AnalysisItemFieldsProps) {
  const t = useText()
  const { description, required, condition } = commonOf(item)
  const [wasRefined] = useState(description !== '' || required || condition !== '')
  const isPreset = item.type === 'system-presets'
  const title = isPreset ? t(PRESET_WORDS[item.name]) : item.name || t('Field {number}', { number })
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {title}
        </h3>
        {!disabled && <IconButton icon={Trash2} label={t('Remove {name}', { name: title })} onClick={onRemove} />}
      </div>
      {isPreset ? (
        <details open={wasRefined}>
          <summary className="min-h-8 w-fit cursor-pointer text-muted hover:text-ink">{t('Refine')}</summary>
          <div className="flex flex-col gap-3 pt-2">
            <Details item={item} path={path} disabled={disabled} onChange={onChange} />
          </div>
        </details>
      ) : (
        <>
          <NameAndType item={item} path={path} disabled={disabled} onChange={onChange} />
          <Details item={item} path={path} disabled={disabled} onChange={onChange} />
        </>
      )}
    </section>
  )
}

type PartProps = Pick<AnalysisItemFieldsProps, 'item' | 'path' | 'disabled' | 'onChange'>

function Details({ item, path, disabled, onChange }: PartProps) {
  const t = useText()
  const { description, required, condition } = commonOf(item)
  const isPreset = item.type === 'system-presets'
  return (
    <>
      <TextAreaField
        label={isPreset ? t('In words of your own') : t('What to look for')}
        name={`${path}.description`}
        isOptional={isPreset}
        rows={2}
        disabled={disabled}
        value={description}
        onChange={(text) => onChange(withCommon(item, { description: text }))}
      />
      <ValueFields item={item} path={path} disabled={disabled} onChange={onChange} />
      <TextField
        label={t('When to look for it')}
        name={`${path}.conditional_prompt`}
        isOptional
        disabled={disabled}
        value={condition}
        onChange={(text) => onChange(withCommon(item, { condition: text }))}
      />
      <SwitchField
        label={t('Must be found')}
        disabled={disabled}
        value={required}
        onChange={(isOn) => onChange(withCommon(item, { required: isOn }))}
      />
    </>
  )
}

function NameAndType({ item, path, disabled, onChange }: PartProps) {
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
        onChange={(name) => onChange(withCommon(item, { name }))}
      />
      <SelectField
        label={t('Type')}
        disabled={disabled}
        value={item.type}
        choices={choicesOf(TYPE_WORDS, t)}
        onChange={(type) => onChange(withType(item, type))}
      />
    </div>
  )
}

/** What only some types have: examples of a text, the words to choose from. */
function ValueFields({ item, path, disabled, onChange }: PartProps) {
  const t = useText()
  if (item.type === 'string') {
    return (
      <LinesField
        label={t('Examples')}
        name={`${path}.examples`}
        isOptional
        help={t('One in a line.')}
        disabled={disabled}
        value={item.examples ?? []}
        onChange={(examples) => {
          const { examples: _before, ...rest } = item
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
      help={t('One in a line.')}
      disabled={disabled}
      value={item.choices}
      onChange={(choices) => onChange({ ...item, choices })}
    />
  )
}
