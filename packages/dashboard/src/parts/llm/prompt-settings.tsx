import { useCallback, useMemo } from 'react'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { ObjectField } from '../tools/object-field.tsx'
import { offeredVariables, unknownMarks, unknownVariables } from './known-variables.ts'
import type { LlmPartProps } from './llm-part.ts'
import { OpeningSettings } from './opening-settings.tsx'
import { UnknownVariables } from './unknown-variables.tsx'

/** What the model is told, how a conversation begins and what fills the variables. */
export function PromptSettings(props: LlmPartProps) {
  const { value, onChange, disabled } = props
  const t = useText()
  const defaults = value.default_dynamic_variables
  const unknown = useMemo(
    () => unknownVariables(`${value.general_prompt}\n${value.begin_message ?? ''}`, defaults),
    [value.general_prompt, value.begin_message, defaults],
  )
  return (
    <div className="flex flex-col gap-5">
      <Panel>
        <PromptField
          label={t('Prompt')}
          help={t('Say who the agent is, what it knows and how it speaks. {example} is filled in when it is used.', {
            example: '{{variable}}',
          })}
          name="general_prompt"
          value={value.general_prompt}
          onChange={(prompt) => onChange({ general_prompt: prompt })}
          disabled={disabled}
          defaults={defaults}
        />
        <UnknownVariables
          names={unknown}
          disabled={disabled}
          onAdd={(name) => onChange({ default_dynamic_variables: { ...defaults, [name]: '' } })}
        />
      </Panel>
      <OpeningSettings {...props} />
      <Panel>
        <ObjectField
          label={t('Default values of variables')}
          help={t('They fill {example} in conversations that are not given another value.', {
            example: '{{variable}}',
          })}
          name="default_dynamic_variables"
          addLabel={t('Add variable')}
          value={defaults}
          onChange={(variables) => onChange({ default_dynamic_variables: variables })}
          disabled={disabled}
        />
      </Panel>
    </div>
  )
}

/** Characters of a usual English text that make one token. */
const CHARACTERS_PER_TOKEN = 4

export interface PromptFieldProps {
  readonly label: string
  readonly help?: string
  readonly name: string
  readonly value: string
  readonly onChange: (prompt: string) => void
  readonly disabled: boolean
  /** Values that fill variables. */
  readonly defaults: Readonly<Record<string, string>>
  readonly minimumHeight?: string
}

/** A prompt with its variables in colour; those that nothing fills are marked while they are typed. */
export function PromptField({ defaults, minimumHeight = '20rem', ...field }: PromptFieldProps) {
  const t = useText()
  const { number } = useFormats()
  const problemsOf = useCallback(
    (text: string) =>
      unknownMarks(text, {
        defaults,
        message: t('No value is known: it is given when a conversation is created, or stays as it is'),
      }),
    [defaults, t],
  )
  const completions = useMemo(() => offeredVariables(defaults), [defaults])
  return (
    <div className="flex flex-col gap-1.5">
      <CodeField
        {...field}
        language="prompt"
        completions={completions}
        problemsOf={problemsOf}
        minimumHeight={minimumHeight}
      />
      <p className="text-end text-muted">
        {t('about {tokens} tokens', { tokens: number(Math.ceil(field.value.length / CHARACTERS_PER_TOKEN)) })}
      </p>
    </div>
  )
}
