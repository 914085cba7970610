import type { Llm } from '@parley/contract/llm'
import { Plus } from 'lucide-react'
import { useCallback, useId, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useFieldProblem } from '../../components/field.tsx'
import { NumberField, TextAreaField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { ObjectField } from '../tools/object-field.tsx'
import { findUnknownVariableProblems, findUnknownVariables, suggestVariables } from './variables.ts'

/** Props of every section of an LLM configuration. */
export interface LlmSectionProps {
  readonly value: Llm
  readonly onChange: (changes: Partial<Llm>) => void
  readonly disabled: boolean
}

/** Renders the instructions, with a warning about variables without a value. */
export function PromptSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  const defaults = value.default_dynamic_variables
  const unknownVariables = useMemo(
    () => findUnknownVariables(`${value.general_prompt}\n${value.begin_message ?? ''}`, defaults),
    [value.general_prompt, value.begin_message, defaults],
  )
  return (
    <Panel>
      <PromptField
        label={t('Instructions')}
        help={t('Describe who the agent is, what it knows and how it speaks. {example} inserts a variable.', {
          example: '{{variable}}',
        })}
        name="general_prompt"
        value={value.general_prompt}
        onChange={(prompt) => onChange({ general_prompt: prompt })}
        disabled={disabled}
        defaults={defaults}
      />
      <UnknownVariablesWarning
        names={unknownVariables}
        disabled={disabled}
        onAdd={(name) => onChange({ default_dynamic_variables: { ...defaults, [name]: '' } })}
      />
    </Panel>
  )
}

/** Renders the default values of variables. */
export function VariableSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  return (
    <Panel>
      <ObjectField
        label={t('Default variables')}
        help={t('Used when a conversation provides no value for {example}.', { example: '{{variable}}' })}
        name="default_dynamic_variables"
        addLabel={t('Add variable')}
        value={value.default_dynamic_variables}
        onChange={(variables) => onChange({ default_dynamic_variables: variables })}
        disabled={disabled}
      />
    </Panel>
  )
}

/** Average number of characters per token of English text. */
export const CHARACTERS_PER_TOKEN = 4

export interface PromptFieldProps {
  readonly label: string
  readonly help?: string
  readonly name: string
  readonly value: string
  readonly onChange: (prompt: string) => void
  readonly disabled: boolean
  readonly defaults: Readonly<Record<string, string>>
  readonly minimumHeight?: string
}

/** Renders a prompt editor that highlights variables and marks variables without a value. */
export function PromptField({ defaults, minimumHeight = '20rem', ...field }: PromptFieldProps) {
  const t = useText()
  const format = useFormatter()
  const findProblems = useCallback(
    (text: string) =>
      findUnknownVariableProblems(text, {
        defaults,
        message: t('No value: set a default, or provide one per conversation.'),
      }),
    [defaults, t],
  )
  const completions = useMemo(() => suggestVariables(defaults), [defaults])
  return (
    <div className="flex flex-col gap-1.5">
      <CodeField
        {...field}
        language="prompt"
        completions={completions}
        findProblems={findProblems}
        minHeight={minimumHeight}
      />
      <p className="text-end text-muted">
        {t('About {tokens} tokens', { tokens: format.number(Math.ceil(field.value.length / CHARACTERS_PER_TOKEN)) })}
      </p>
    </div>
  )
}

const MAX_DISPLAYED_NAMES = 20

interface UnknownVariablesProps {
  readonly names: readonly string[]
  readonly disabled: boolean
  readonly onAdd: (name: string) => void
}

/** Lists variables without a value, because screen readers do not announce the editor's warnings. */
function UnknownVariablesWarning({ names, disabled, onAdd }: UnknownVariablesProps) {
  const t = useText()
  if (names.length === 0) return null
  return (
    <section
      aria-label={t('Variables without a value')}
      className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-warn"
    >
      <p>
        {t(
          '{count, plural, one {This variable has no value. Set a default, or provide one per conversation.} other {These variables have no value. Set defaults, or provide values per conversation.}}',
          { count: names.length },
        )}
      </p>
      <ul className="flex flex-wrap gap-2">
        {names.slice(0, MAX_DISPLAYED_NAMES).map((name) => (
          <li key={name} className="flex max-w-full min-w-0 items-center gap-1 rounded border border-current ps-2">
            <code className="min-w-0 truncate" dir="auto">
              {name}
            </code>
            {disabled ? (
              <span className="pe-2" />
            ) : (
              <Button
                kind="quiet"
                icon={Plus}
                className="hover:bg-transparent hover:underline"
                aria-label={t('Set a default for {name}', { name })}
                onClick={() => onAdd(name)}
              >
                {t('Default')}
              </Button>
            )}
          </li>
        ))}
        {names.length > MAX_DISPLAYED_NAMES && <li>…</li>}
      </ul>
    </section>
  )
}

type Opening = 'default' | 'user' | 'message'

const MS_PER_S = 1_000
const MAX_SILENCE_S = 3_600

/** Renders the first speaker and the opening message. */
export function OpeningSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  // Keeps the choice while the user edits a cleared message.
  const [isEditingMessage, setIsEditingMessage] = useState(false)
  const { begin_message: text, begin_after_user_silence_ms: silenceMs } = value
  const opening: Opening = text === null ? 'default' : text === '' && !isEditingMessage ? 'user' : 'message'
  const selectOpening = (selected: Opening): void => {
    setIsEditingMessage(selected === 'message')
    if (selected === 'default') onChange({ begin_message: null })
    else if (selected === 'user') onChange({ begin_message: '' })
    else onChange({ begin_message: text || t('Hello! How can I help you?') })
  }
  return (
    <Panel>
      <OpeningChoice opening={opening} onSelect={selectOpening} disabled={disabled} />
      {opening === 'message' && (
        <TextAreaField
          label={t('Opening message')}
          help={
            text === ''
              ? t('Without a message, the user speaks first.')
              : t('Can contain {example}.', { example: '{{variables}}' })
          }
          name="begin_message"
          rows={2}
          value={text ?? ''}
          onChange={(message) => {
            setIsEditingMessage(true)
            onChange({ begin_message: message })
          }}
          disabled={disabled}
        />
      )}
      {(opening === 'user' || silenceMs !== null) && (
        <NumberField
          label={t('Speak after silence')}
          help={t('In calls, the agent speaks if the user stays silent this long. Leave empty to wait.')}
          name="begin_after_user_silence_ms"
          isOptional
          unit="s"
          minimum={0}
          maximum={MAX_SILENCE_S}
          step={0.5}
          value={silenceMs === null ? null : silenceMs / MS_PER_S}
          onChange={(seconds) =>
            onChange({ begin_after_user_silence_ms: seconds === null ? null : Math.round(seconds * MS_PER_S) })
          }
          disabled={disabled}
        />
      )}
    </Panel>
  )
}

interface OpeningChoiceProps {
  readonly opening: Opening
  readonly onSelect: (opening: Opening) => void
  readonly disabled: boolean
}

function OpeningChoice({ opening, onSelect, disabled }: OpeningChoiceProps) {
  const t = useText()
  const name = useId()
  const problem = useFieldProblem('begin_message')
  const choices: readonly (readonly [Opening, string])[] = [
    ['message', t('The agent, with this message')],
    ['default', t('The agent in calls, the user in chats')],
    ['user', t('The user')],
  ]
  return (
    <fieldset className="flex min-w-0 flex-col gap-1" disabled={disabled} data-field="begin_message">
      <legend className="mb-1 font-medium">{t('Speaks first')}</legend>
      {choices.map(([choice, label]) => (
        <label key={choice} className="flex min-h-8 items-center gap-2">
          <input
            type="radio"
            name={name}
            className="size-4 shrink-0 accent-brand-text"
            checked={opening === choice}
            onChange={() => onSelect(choice)}
          />
          {label}
        </label>
      ))}
      {problem !== null && opening !== 'message' && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
