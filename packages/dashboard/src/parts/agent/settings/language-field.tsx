import { useState } from 'react'
import { SelectField, TextField } from '../../../components/fields.tsx'
import { useLanguage, useText } from '../../../lib/language.ts'

/** Common languages. Users can enter any other tag. */
const COMMON_TAGS =
  'en-US en-GB en-AU en-IN de-DE de-AT de-CH fr-FR fr-CA es-ES es-MX it-IT pt-PT pt-BR nl-NL pl-PL cs-CZ da-DK sv-SE nb-NO fi-FI el-GR tr-TR ru-RU uk-UA ro-RO hu-HU ar-SA he-IL hi-IN id-ID vi-VN th-TH ko-KR ja-JP zh-CN zh-TW'.split(
    ' ',
  )

const OTHER_CHOICE = 'other'

export interface LanguageFieldProps {
  readonly value: string
  readonly onChange: (tag: string) => void
  readonly help?: string
  readonly disabled?: boolean
}

export function LanguageField({ value, onChange, help, disabled = false }: LanguageFieldProps) {
  const t = useText()
  const locale = useLanguage()
  const isCommon = COMMON_TAGS.includes(value)
  const [isOtherSelected, setIsOtherSelected] = useState(!isCommon)
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const choices = COMMON_TAGS.map((tag) => ({ value: tag, label: `${names.of(tag) ?? tag} · ${tag}` }))
  const isCustomTag = isOtherSelected || !isCommon
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        label={t('Language')}
        {...(!isCustomTag && { name: 'language' })}
        help={help}
        disabled={disabled}
        value={isCustomTag ? OTHER_CHOICE : value}
        choices={[
          ...choices.sort((a, b) => a.label.localeCompare(b.label, locale)),
          { value: OTHER_CHOICE, label: t('Other') },
        ]}
        onChange={(selected) => {
          setIsOtherSelected(selected === OTHER_CHOICE)
          if (selected !== OTHER_CHOICE) onChange(selected)
        }}
      />
      {isCustomTag && (
        <TextField
          label={t('Language tag')}
          name="language"
          placeholder={COMMON_TAGS[0] ?? ''}
          spellCheck={false}
          disabled={disabled}
          value={value}
          onChange={onChange}
        />
      )}
    </div>
  )
}
