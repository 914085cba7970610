import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'

/** A text that becomes a source. */
export interface NewText {
  readonly title: string
  readonly text: string
}

export const EMPTY_TEXT: NewText = { title: '', text: '' }

/** Texts as a request takes them; empty ones are none. */
export function textsToSend(texts: readonly NewText[]): { title: string; text: string }[] {
  return texts.filter(({ text }) => text.trim() !== '').map(({ title, text }) => ({ title: title.trim(), text }))
}

/** Texts that are typed or pasted. */
export function TextsField({
  value,
  onChange,
}: {
  readonly value: readonly NewText[]
  readonly onChange: (texts: readonly NewText[]) => void
}) {
  const t = useText()
  return (
    <div className="flex flex-col gap-4">
      {value.map((each, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: the title is what is being typed.
          key={index}
          className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3"
        >
          <legend className="px-1 font-medium">{t('Text {number}', { number: index + 1 })}</legend>
          <TextFields
            value={each}
            onChange={(changed) => onChange(value.map((text, at) => (at === index ? changed : text)))}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove text {number}', { number: index + 1 })}
            className="self-end"
            onClick={() => onChange(value.filter((_text, at) => at !== index))}
          />
        </fieldset>
      ))}
      <Button icon={Plus} className="w-fit" onClick={() => onChange([...value, EMPTY_TEXT])}>
        {t('Add a text')}
      </Button>
    </div>
  )
}

/** Title and content of a text. `name` is where it stands in the body that is sent. */
export function TextFields({
  value,
  onChange,
  name,
}: {
  readonly value: NewText
  readonly onChange: (text: NewText) => void
  readonly name?: string
}) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Title')}
        help={t('What answers call it by.')}
        isOptional
        maxLength={200}
        {...(name !== undefined && { name: `${name}.title` })}
        value={value.title}
        onChange={(title) => onChange({ ...value, title })}
      />
      <TextAreaField
        label={t('Text')}
        help={t('Plain or Markdown.')}
        rows={6}
        {...(name !== undefined && { name: `${name}.text` })}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
      />
    </>
  )
}
