import type { Agent } from '@parley/contract/agent'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { SelectField, TextField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import { type VoiceFieldProps, WHOLE_ROW } from './agent-part.ts'

type Entry = Agent['pronunciation_dictionary'][number]

const ALPHABETS = ['ipa', 'cmu', 'pinyin', 'jyutping'] as const satisfies readonly Entry['alphabet'][]

/** How words are spoken, entry by entry. */
export function PronunciationField({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { pronunciation_dictionary: entries } = value
  const change = (changed: Entry[]): void => onChange({ pronunciation_dictionary: changed })
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${WHOLE_ROW}`}>
      {entries.map((entry, index) => (
        <EntryFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the word is what is being typed.
          key={index}
          entry={entry}
          index={index}
          disabled={disabled}
          onChange={(changes) => change(entries.map((one, at) => (at === index ? { ...one, ...changes } : one)))}
          onRemove={() => change(entries.filter((_one, at) => at !== index))}
        />
      ))}
      {!disabled && (
        <Button
          kind="quiet"
          icon={Plus}
          className="w-fit"
          onClick={() => change([...entries, { word: '', alphabet: 'ipa', phoneme: '' }])}
        >
          {t('Add a word')}
        </Button>
      )}
    </div>
  )
}

interface EntryFieldsProps {
  readonly entry: Entry
  readonly index: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<Entry>) => void
  readonly onRemove: () => void
}

function EntryFields({ entry, index, disabled, onChange, onRemove }: EntryFieldsProps) {
  const t = useText()
  return (
    <fieldset className="grid items-end gap-2 sm:grid-cols-[1fr_8rem_1fr_auto]">
      <legend className="sr-only">{t('Word {number}', { number: index + 1 })}</legend>
      <TextField
        label={t('Word')}
        name={`pronunciation_dictionary[${index}].word`}
        disabled={disabled}
        value={entry.word}
        onChange={(word) => onChange({ word })}
      />
      <SelectField<Entry['alphabet']>
        label={t('Written in')}
        disabled={disabled}
        value={entry.alphabet}
        choices={ALPHABETS.map((name) => ({ value: name, label: name.toUpperCase() }))}
        onChange={(alphabet) => onChange({ alphabet })}
      />
      <TextField
        label={t('How it sounds')}
        name={`pronunciation_dictionary[${index}].phoneme`}
        spellCheck={false}
        disabled={disabled}
        value={entry.phoneme}
        onChange={(phoneme) => onChange({ phoneme })}
      />
      {!disabled && (
        <IconButton icon={Trash2} label={t('Remove word {number}', { number: index + 1 })} onClick={onRemove} />
      )}
    </fieldset>
  )
}
