import { clsx } from 'clsx'
import { TextAreaField, TextField } from '../../../components/fields.tsx'
import { RecordField } from '../../../components/record-field.tsx'
import { useText } from '../../../lib/language.ts'
import { useChoices } from '../../choices/choices.ts'
import type { AnyAgent } from '../agent-kind.ts'
import { FIELD_GRID } from '../settings/agent-part.ts'
import { LanguageField } from '../settings/language-field.tsx'
import type { NewAgentForm } from './new-agent-form.ts'
import { TEMPLATES } from './templates.ts'

export interface WayProps<Value extends AnyAgent> {
  readonly form: NewAgentForm<Value>
  readonly onChange: (changes: Partial<NewAgentForm<Value>>) => void
}

const COLUMN = 'flex min-w-0 flex-col gap-4'

function NameAndLanguage<Value extends AnyAgent>({ form, onChange }: WayProps<Value>) {
  const t = useText()
  return (
    <div className={FIELD_GRID}>
      <TextField
        label={t('Name')}
        name="agent_name"
        maxLength={200}
        autoFocus
        value={form.name}
        onChange={(name) => onChange({ name })}
      />
      <LanguageField value={form.language} onChange={(language) => onChange({ language })} />
    </div>
  )
}

export function PromptWay<Value extends AnyAgent>({ form, onChange }: WayProps<Value>) {
  const t = useText()
  return (
    <div className={COLUMN}>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium">{t('Begin with')}</legend>
        <div className="grid gap-2 sm:grid-cols-3">
          {TEMPLATES.map(({ key, name, about, prompt, beginMessage }) => {
            const isChosen = form.prompt === t(prompt)
            return (
              <button
                key={key}
                type="button"
                aria-pressed={isChosen}
                onClick={() =>
                  onChange({
                    prompt: t(prompt),
                    beginMessage: t(beginMessage),
                    ...(form.name === '' && { name: t(name) }),
                  })
                }
                className={clsx(
                  'flex flex-col gap-1 rounded-md border p-3 text-start hover:bg-sunken',
                  isChosen ? 'border-brand-text' : 'border-line-strong',
                )}
              >
                <span className="font-medium">{t(name)}</span>
                <span className="text-muted">{t(about)}</span>
              </button>
            )
          })}
        </div>
      </fieldset>
      <NameAndLanguage form={form} onChange={onChange} />
      <TextAreaField
        label={t('What it shall do')}
        help={t('Say who it is, what it knows and how it speaks. You can change everything later.')}
        name="general_prompt"
        rows={8}
        value={form.prompt}
        onChange={(prompt) => onChange({ prompt })}
      />
      <TextField
        label={t('First words')}
        name="begin_message"
        isOptional
        value={form.beginMessage}
        onChange={(beginMessage) => onChange({ beginMessage })}
      />
    </div>
  )
}

export function FlowWay<Value extends AnyAgent>({ form, onChange }: WayProps<Value>) {
  const t = useText()
  const { choices, isLoading } = useChoices('flows')
  return (
    <div className={COLUMN}>
      <NameAndLanguage form={form} onChange={onChange} />
      <RecordField
        label={t('Conversation flow')}
        name="response_engine.conversation_flow_id"
        help={t('Flows are drawn under “Conversation flows”.')}
        isLoading={isLoading}
        value={form.flowId}
        choices={choices}
        onChange={(id) => onChange({ flowId: id ?? '' })}
      />
    </div>
  )
}

export function CustomWay<Value extends AnyAgent>({ form, onChange }: WayProps<Value>) {
  const t = useText()
  return (
    <div className={COLUMN}>
      <NameAndLanguage form={form} onChange={onChange} />
      <TextField
        label={t('Address of the server')}
        name="response_engine.llm_websocket_url"
        help={t('It answers over a WebSocket; begins with wss:// or ws://.')}
        type="url"
        spellCheck={false}
        value={form.url}
        onChange={(url) => onChange({ url })}
      />
    </div>
  )
}
