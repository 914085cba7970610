import { Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { FormGroup, ToolLines, ToolNumber, ToolSelect, ToolSwitch, ToolText, ToolTextArea } from './bound-fields.tsx'
import { CodeForm, CustomForm, McpForm } from './request-forms.tsx'
import { useToolField, useVariant } from './tool-draft.ts'
import { isToolType, type ToolType } from './tool-kinds.ts'
import { AgentTransferForm, TransferForm } from './transfer-forms.tsx'

const CALENDAR_SERVICE = 'Cal.com'
const EXAMPLE_ZONE = 'Europe/Berlin'

/** Tools with a result that the agent can talk about. */
const WITH_RESULT: readonly ToolType[] = ['custom', 'code', 'mcp']

/** Renders the fields for a tool's type. */
export function ToolTypeFields({ type, servers }: { readonly type: unknown; readonly servers: readonly string[] }) {
  const t = useText()
  if (!isToolType(type)) {
    return <p className="text-muted">{t('This type has no form. Edit it as JSON.')}</p>
  }
  return (
    <>
      <NamingFields />
      {renderTypeFields(type, servers)}
      <SpeakingFields hasResult={WITH_RESULT.includes(type)} />
    </>
  )
}

function renderTypeFields(type: ToolType, servers: readonly string[]): ReactNode {
  switch (type) {
    case 'custom':
      return <CustomForm />
    case 'code':
      return <CodeForm />
    case 'transfer_call':
      return <TransferForm />
    case 'agent_swap':
      return <AgentTransferForm />
    case 'press_digit':
      return <DigitFields />
    case 'send_sms':
      return <MessageForm />
    case 'extract_dynamic_variable':
      return <ExtractForm />
    case 'mcp':
      return <McpForm servers={servers} />
    case 'check_availability_cal':
    case 'book_appointment_cal':
      return <CalendarForm />
    case 'end_call':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return null
  }
}

const MAX_DELAY_MS = 5_000

function DigitFields() {
  const t = useText()
  return (
    <FormGroup title={t('Digits')}>
      <ToolNumber path="delay_ms" label={t('Delay')} unit="ms" minimum={0} maximum={MAX_DELAY_MS} step={100} />
    </FormGroup>
  )
}

function NamingFields() {
  const t = useText()
  return (
    <>
      <ToolText path="name" label={t('Name')} help={t('Unique. Letters, digits, "_" and "-".')} />
      <ToolTextArea
        path="description"
        label={t('Description')}
        help={t('Tells the model what the tool does and when to use it.')}
        isOptional
      />
    </>
  )
}

function CalendarForm() {
  const t = useText()
  return (
    <FormGroup title={CALENDAR_SERVICE}>
      <ToolText path="cal_api_key" label={t('API key')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolNumber path="event_type_id" label={t('Event type ID')} minimum={0} />
        <ToolText path="timezone" label={t('Time zone')} placeholder={EXAMPLE_ZONE} isOptional />
      </div>
    </FormGroup>
  )
}

function SpeakingFields({ hasResult }: { readonly hasResult: boolean }) {
  const t = useText()
  const speaks = useToolField('speak_during_execution').value === true
  const type = useToolField('execution_message_type').value
  return (
    <FormGroup title={t('Speech')}>
      <ToolSwitch
        path="speak_during_execution"
        label={t('Speak before running')}
        help={t('Avoids silence while the tool runs.')}
      />
      {speaks && (
        <>
          <ToolSelect
            path="execution_message_type"
            label={t('Message')}
            absentLabel={t('Worded by the model (default)')}
            choices={[
              { value: 'prompt', label: t('Worded by the model') },
              { value: 'static_text', label: t('Fixed text') },
            ]}
          />
          <ToolTextArea
            path="execution_message_description"
            label={type === 'static_text' ? t('Text') : t('Instructions')}
            isOptional
          />
        </>
      )}
      <ToolSwitch path="enable_typing_sound" label={t('Typing sound')} />
      {hasResult && (
        <ToolSwitch
          path="speak_after_execution"
          absent
          label={t('Speak after running')}
          help={t('If off, the turn ends after a successful tool call if the agent has already spoken.')}
        />
      )}
    </FormGroup>
  )
}

const CONTENT = 'sms_content'

function MessageForm() {
  const t = useText()
  const { type, choose, ...field } = useVariant(CONTENT)
  const whole = useToolField(CONTENT)
  return (
    <FormGroup title={t('Text message')}>
      <SelectField
        {...field}
        label={t('Content')}
        value={type}
        choices={[
          { value: 'predefined', label: t('Fixed text') },
          { value: 'inferred', label: t('Worded by the model') },
          { value: 'template', label: t('Link to a form') },
        ]}
        onChange={(selected) => {
          choose(selected)
          if (selected === 'template') whole.set({ type: selected, template: 'info_collection' })
        }}
      />
      {type === 'predefined' && <ToolTextArea path={`${CONTENT}.text`} label={t('Text')} />}
      {type === 'inferred' && <ToolTextArea path={`${CONTENT}.prompt`} label={t('Instructions')} />}
    </FormGroup>
  )
}

const LIST = 'variables'

function ExtractForm() {
  const t = useText()
  const { value, set, disabled } = useToolField(LIST)
  const variables: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <FormGroup title={t('Variables')}>
      {variables.map((_variable, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          className="flex min-w-0 flex-col gap-4 rounded-md border border-line p-3"
        >
          <legend className="px-1 text-muted">{t('Variable {number}', { number: index + 1 })}</legend>
          <VariableFields path={`${LIST}.${index}`} />
          {!disabled && (
            <Button
              kind="quiet"
              icon={Trash2}
              className="w-fit"
              onClick={() => set(variables.filter((_one, at) => at !== index))}
            >
              {t('Remove variable')}
            </Button>
          )}
        </fieldset>
      ))}
      {!disabled && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => set([...variables, { type: 'string', name: '', description: '' }])}
        >
          {t('Add variable')}
        </Button>
      )}
    </FormGroup>
  )
}

function VariableFields({ path }: { readonly path: string }) {
  const t = useText()
  const type = useToolField(`${path}.type`).value
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolText path={`${path}.name`} label={t('Name')} />
        <ToolSelect
          path={`${path}.type`}
          label={t('Type')}
          choices={[
            { value: 'string', label: t('Text') },
            { value: 'number', label: t('Number') },
            { value: 'boolean', label: t('Yes/no') },
            { value: 'enum', label: t('Choice') },
          ]}
        />
      </div>
      <ToolTextArea path={`${path}.description`} label={t('Description')} />
      {type === 'enum' && <ToolLines path={`${path}.choices`} label={t('Choices, one per line')} />}
      {type === 'string' && <ToolLines path={`${path}.examples`} label={t('Examples, one per line')} />}
      <ToolTextArea path={`${path}.conditional_prompt`} label={t('Condition')} isOptional />
      <ToolSwitch path={`${path}.required`} label={t('Required')} />
    </>
  )
}
