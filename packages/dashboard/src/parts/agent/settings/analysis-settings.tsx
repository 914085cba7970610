import { Plus } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { useFieldProblem } from '../../../components/field.tsx'
import { TextField } from '../../../components/fields.tsx'
import { Menu } from '../../../components/menu.tsx'
import { Panel } from '../../../components/page.tsx'
import { useText } from '../../../lib/language.ts'
import { EXAMPLES } from './agent-part.ts'
import { type AnalysisItem, missingPresets, type PRESETS } from './analysis-item.ts'
import { AnalysisItemFields, PRESET_WORDS } from './analysis-item-fields.tsx'

export interface AnalysisSettingsProps {
  readonly kind: keyof typeof PRESETS
  readonly items: readonly AnalysisItem[]
  readonly model: string | null
  readonly onItems: (items: AnalysisItem[]) => void
  readonly onModel: (model: string | null) => void
  readonly disabled: boolean
}

/** What is found out once a conversation is over. */
export function AnalysisSettings({ kind, items, model, onItems, onModel, disabled }: AnalysisSettingsProps) {
  const t = useText()
  const prefix = kind === 'agent' ? 'post_call_analysis' : 'post_chat_analysis'
  const problem = useFieldProblem(`${prefix}_data`)
  const presets = missingPresets(items, kind)
  return (
    <Panel
      title={t('Analysis')}
      description={t('What is found out once a conversation is over. With an empty list, nothing is.')}
    >
      {items.map((item, index) => (
        <AnalysisItemFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          item={item}
          path={`${prefix}_data[${index}]`}
          number={index + 1}
          disabled={disabled}
          onChange={(changed) => onItems(items.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onItems(items.filter((_one, at) => at !== index))}
        />
      ))}
      {problem && (
        <p role="alert" dir="auto" className="text-bad">
          {problem}
        </p>
      )}
      {!disabled && (
        <div className="flex flex-wrap gap-2">
          <Button icon={Plus} onClick={() => onItems([...items, { type: 'string', name: '', description: '' }])}>
            {t('Add a field')}
          </Button>
          {presets.length > 0 && (
            <Menu
              trigger={<Button kind="quiet">{t('Add a usual one …')}</Button>}
              items={presets.map((name) => ({
                label: t(PRESET_WORDS[name]),
                onSelect: () => onItems([...items, { type: 'system-presets', name }]),
              }))}
            />
          )}
        </div>
      )}
      <TextField
        label={t('Model that finds it out')}
        name={`${prefix}_model`}
        isOptional
        help={t('Left empty: that of the prompt or flow.')}
        placeholder={EXAMPLES.model}
        spellCheck={false}
        disabled={disabled}
        value={model ?? ''}
        onChange={(name) => onModel(name === '' ? null : name)}
      />
    </Panel>
  )
}
