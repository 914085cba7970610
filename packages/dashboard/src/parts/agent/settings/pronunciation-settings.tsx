import type { Agent } from '@parley/contract/agent'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { SelectField, SwitchField, TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { useText } from '../../../lib/language.ts'
import type { VoicePartProps } from './agent-part.ts'

type Entry = Agent['pronunciation_dictionary'][number]

const ALPHABETS = ['ipa', 'cmu', 'pinyin', 'jyutping'] as const satisfies readonly Entry['alphabet'][]

/** How words are spoken. */
export function PronunciationSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  const { pronunciation_dictionary: entries } = value
  const change = (changed: Entry[]): void => onChange({ pronunciation_dictionary: changed })
  const edit = (index: number, changes: Partial<Entry>): void =>
    change(entries.map((one, at) => (at === index ? { ...one, ...changes } : one)))
  return (
    <Panel title={t('Pronunciation')} description={t('How words sound, for agents that speak English.')}>
      <SwitchField
        label={t('Write numbers, dates and addresses as words first')}
        help={t('Otherwise the voice reads them in its own way.')}
        disabled={disabled}
        value={value.normalize_for_speech}
        onChange={(isOn) => onChange({ normalize_for_speech: isOn })}
      />
      {entries.map((entry, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: the word is what is being typed.
          key={index}
          className="grid items-end gap-2 sm:grid-cols-[1fr_8rem_1fr_auto]"
        >
          <legend className="sr-only">{t('Word {number}', { number: index + 1 })}</legend>
          <TextField
            label={t('Word')}
            name={`pronunciation_dictionary[${index}].word`}
            disabled={disabled}
            value={entry.word}
            onChange={(word) => edit(index, { word })}
          />
          <SelectField<Entry['alphabet']>
            label={t('Written in')}
            disabled={disabled}
            value={entry.alphabet}
            choices={ALPHABETS.map((name) => ({ value: name, label: name.toUpperCase() }))}
            onChange={(alphabet) => edit(index, { alphabet })}
          />
          <TextField
            label={t('How it sounds')}
            name={`pronunciation_dictionary[${index}].phoneme`}
            spellCheck={false}
            disabled={disabled}
            value={entry.phoneme}
            onChange={(phoneme) => edit(index, { phoneme })}
          />
          {!disabled && (
            <IconButton
              icon={Trash2}
              label={t('Remove word {number}', { number: index + 1 })}
              onClick={() => change(entries.filter((_one, at) => at !== index))}
            />
          )}
        </fieldset>
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
    </Panel>
  )
}
