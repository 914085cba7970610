import { Plus } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { useFieldProblem } from '../../../components/field.tsx'
import { Menu } from '../../../components/menu.tsx'
import { useText } from '../../../lib/language.ts'
import { type ChatFieldProps, type VoiceFieldProps, WHOLE_ROW } from './agent-part.ts'
import { type AnalysisItem, missingPresets, type PRESETS } from './analysis-item.ts'
import { AnalysisItemFields, PRESET_WORDS } from './analysis-item-fields.tsx'

export const CallAnalysisField = ({ value, onChange, disabled }: VoiceFieldProps) => (
  <AnalysisField
    kind="agent"
    name="post_call_analysis_data"
    items={value.post_call_analysis_data}
    onItems={(items) => onChange({ post_call_analysis_data: items })}
    disabled={disabled}
  />
)

export const ChatAnalysisField = ({ value, onChange, disabled }: ChatFieldProps) => (
  <AnalysisField
    kind="chat-agent"
    name="post_chat_analysis_data"
    items={value.post_chat_analysis_data}
    onItems={(items) => onChange({ post_chat_analysis_data: items })}
    disabled={disabled}
  />
)

interface AnalysisFieldProps {
  readonly kind: keyof typeof PRESETS
  readonly name: string
  readonly items: readonly AnalysisItem[]
  readonly onItems: (items: AnalysisItem[]) => void
  readonly disabled: boolean
}

/** What is found out once a conversation is over, item by item. */
function AnalysisField({ kind, name, items, onItems, disabled }: AnalysisFieldProps) {
  const problem = useFieldProblem(name)
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${WHOLE_ROW}`}>
      {items.map((item, index) => (
        <AnalysisItemFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          item={item}
          path={`${name}[${index}]`}
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
      {!disabled && <AddButtons kind={kind} items={items} onItems={onItems} />}
    </div>
  )
}

function AddButtons({ kind, items, onItems }: Pick<AnalysisFieldProps, 'kind' | 'items' | 'onItems'>) {
  const t = useText()
  const presets = missingPresets(items, kind)
  return (
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
  )
}
