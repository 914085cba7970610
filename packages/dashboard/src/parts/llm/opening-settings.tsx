import { useId, useState } from 'react'
import { useFieldProblem } from '../../components/field.tsx'
import { NumberField, TextAreaField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import type { LlmPartProps } from './llm-part.ts'

type Opening = 'by-kind' | 'user' | 'words'

const MS_PER_S = 1_000
const LONGEST_SILENCE_S = 3_600

/** Who speaks first, and with which words. */
export function OpeningSettings({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  // Words that were all taken back are still being written: the choice must not jump meanwhile.
  const [isWriting, setIsWriting] = useState(false)
  const { begin_message: words, begin_after_user_silence_ms: silenceMs } = value
  const opening: Opening = words === null ? 'by-kind' : words === '' && !isWriting ? 'user' : 'words'
  const choose = (chosen: Opening): void => {
    setIsWriting(chosen === 'words')
    if (chosen === 'by-kind') onChange({ begin_message: null })
    else if (chosen === 'user') onChange({ begin_message: '' })
    else onChange({ begin_message: words || t('Hello! How can I help you?') })
  }
  return (
    <Panel>
      <OpeningChoice opening={opening} onChoose={choose} disabled={disabled} />
      {opening === 'words' && (
        <TextAreaField
          label={t('First words')}
          help={
            words === ''
              ? t('Without any words the user opens.')
              : t('May hold {example}.', { example: '{{variables}}' })
          }
          name="begin_message"
          rows={2}
          value={words ?? ''}
          onChange={(typed) => {
            setIsWriting(true)
            onChange({ begin_message: typed })
          }}
          disabled={disabled}
        />
      )}
      {(opening === 'user' || silenceMs !== null) && (
        <SilenceField silenceMs={silenceMs} onChange={onChange} disabled={disabled} />
      )}
    </Panel>
  )
}

interface OpeningChoiceProps {
  readonly opening: Opening
  readonly onChoose: (opening: Opening) => void
  readonly disabled: boolean
}

function OpeningChoice({ opening, onChoose, disabled }: OpeningChoiceProps) {
  const t = useText()
  const name = useId()
  const problem = useFieldProblem('begin_message')
  const choices: readonly (readonly [Opening, string])[] = [
    ['by-kind', t('In calls the model opens, in chats the user')],
    ['user', t('The user opens')],
    ['words', t('The agent opens with these words')],
  ]
  return (
    <fieldset className="flex min-w-0 flex-col gap-1" disabled={disabled} data-field="begin_message">
      <legend className="mb-1 font-medium">{t('Opening line')}</legend>
      {choices.map(([choice, label]) => (
        <label key={choice} className="flex min-h-8 items-center gap-2">
          <input
            type="radio"
            name={name}
            className="size-4 shrink-0 accent-brand-text"
            checked={opening === choice}
            onChange={() => onChoose(choice)}
          />
          {label}
        </label>
      ))}
      {problem !== null && opening !== 'words' && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

interface SilenceFieldProps extends Pick<LlmPartProps, 'onChange' | 'disabled'> {
  readonly silenceMs: number | null
}

function SilenceField({ silenceMs, onChange, disabled }: SilenceFieldProps) {
  const t = useText()
  return (
    <NumberField
      label={t('Speak after so long a silence')}
      help={t('In calls that the user shall open: the agent does when nobody has spoken so long. Empty: it waits.')}
      name="begin_after_user_silence_ms"
      isOptional
      unit="s"
      minimum={0}
      maximum={LONGEST_SILENCE_S}
      step={0.5}
      value={silenceMs === null ? null : silenceMs / MS_PER_S}
      onChange={(seconds) =>
        onChange({ begin_after_user_silence_ms: seconds === null ? null : Math.round(seconds * MS_PER_S) })
      }
      disabled={disabled}
    />
  )
}
