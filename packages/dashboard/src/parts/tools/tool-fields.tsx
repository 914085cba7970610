import type { ReactNode } from 'react'
import { useText } from '../../lib/language.ts'
import { FormGroup, ToolNumber, ToolSelect, ToolSwitch, ToolText, ToolWords } from './bound-fields.tsx'
import { CodeForm } from './forms/code-form.tsx'
import { CustomForm } from './forms/custom-form.tsx'
import { ExtractForm } from './forms/extract-form.tsx'
import { HandOverForm } from './forms/hand-over-form.tsx'
import { McpForm } from './forms/mcp-form.tsx'
import { MessageForm } from './forms/message-form.tsx'
import { TransferForm } from './forms/transfer-form.tsx'
import { useToolField } from './tool-form.ts'
import { isToolType, type ToolType } from './tool-kinds.ts'

const CALENDAR_SERVICE = 'Cal.com'
const EXAMPLE_ZONE = 'Europe/Berlin'

/** Tools with a result that the agent may talk about. */
const WITH_RESULT: readonly ToolType[] = ['custom', 'code', 'mcp']

/** The fields of a tool, by its type. `servers` are the MCP servers that it may name. */
export function ToolTypeFields({ type, servers }: { readonly type: unknown; readonly servers: readonly string[] }) {
  const t = useText()
  if (!isToolType(type)) {
    return <p className="text-muted">{t('There is no form for this type of tool. Edit it as JSON.')}</p>
  }
  return (
    <>
      <NamingFields />
      {ownFields(type, servers)}
      <SpeakingFields hasResult={WITH_RESULT.includes(type)} />
    </>
  )
}

function ownFields(type: ToolType, servers: readonly string[]): ReactNode {
  switch (type) {
    case 'custom':
      return <CustomForm />
    case 'code':
      return <CodeForm />
    case 'transfer_call':
      return <TransferForm />
    case 'agent_swap':
      return <HandOverForm />
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

const LONGEST_DELAY_MS = 5_000

function DigitFields() {
  const t = useText()
  return (
    <FormGroup title={t('Digits')}>
      <ToolNumber
        path="delay_ms"
        label={t('Wait before the digits')}
        unit="ms"
        minimum={0}
        maximum={LONGEST_DELAY_MS}
        step={100}
      />
    </FormGroup>
  )
}

/** How the model knows the tool. */
function NamingFields() {
  const t = useText()
  return (
    <>
      <ToolText
        path="name"
        label={t('Name')}
        help={t('How the model calls it: letters, digits, "_" and "-". Each name once.')}
      />
      <ToolWords
        path="description"
        label={t('Description')}
        help={t('Tells the model what the tool does and when to use it.')}
        isOptional
      />
    </>
  )
}

/** Settings for Cal.com. */
function CalendarForm() {
  const t = useText()
  return (
    <FormGroup title={CALENDAR_SERVICE}>
      <ToolText path="cal_api_key" label={t('Key')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolNumber path="event_type_id" label={t('Id of the kind of event')} minimum={0} />
        <ToolText path="timezone" label={t('Time zone')} placeholder={EXAMPLE_ZONE} isOptional />
      </div>
    </FormGroup>
  )
}

/** What is heard while the tool runs, and afterwards where its result can be talked about. */
function SpeakingFields({ hasResult }: { readonly hasResult: boolean }) {
  const t = useText()
  const speaks = useToolField('speak_during_execution').value === true
  const type = useToolField('execution_message_type').value
  return (
    <FormGroup title={t('What is heard')}>
      <ToolSwitch
        path="speak_during_execution"
        label={t('Say a line before it runs')}
        help={t('So that nobody waits in silence.')}
      />
      {speaks && (
        <>
          <ToolSelect
            path="execution_message_type"
            label={t('The line')}
            absentLabel={t('Worded by the model (default)')}
            choices={[
              { value: 'prompt', label: t('Worded by the model') },
              { value: 'static_text', label: t('The same words every time') },
            ]}
          />
          <ToolWords
            path="execution_message_description"
            label={type === 'static_text' ? t('Words to say') : t('What the line shall say')}
            isOptional
          />
        </>
      )}
      <ToolSwitch path="enable_typing_sound" label={t('Play the sound of typing while it runs')} />
      {hasResult && (
        <ToolSwitch
          path="speak_after_execution"
          absent
          label={t('Answer once the result is there')}
          help={t('Off: the turn ends after the tool, if something was said before it and it did not fail.')}
        />
      )}
    </FormGroup>
  )
}
