import type { Voice } from '@parley/contract/voice'
import { useCallback, useMemo } from 'react'
import { type Translate, useLanguage, useText } from '../../lib/language.ts'
import { getVendorName } from '../../lib/vendor-names.ts'
import type { VoiceProperty } from './voice-filter.ts'

/** Labels for voice properties. */
export interface VoiceLabels {
  /** Returns the label of a value, or an empty string if the value is null. */
  getValueLabel(property: VoiceProperty, value: string | null): string
  /** Returns the vendor, language, and gender, separated by dots. */
  describeVoice(voice: Pick<Voice, VoiceProperty>): string
}

export function useVoiceLabels(): VoiceLabels {
  const t = useText()
  const locale = useLanguage()
  const languages = useMemo(() => new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }), [locale])
  const getValueLabel = useCallback(
    (property: VoiceProperty, value: string | null): string => {
      if (value === null || value === '') return ''
      if (property === 'provider') return getProviderName(value, t)
      if (property === 'gender') return getGenderName(value, t)
      return property === 'language' ? getLanguageName(value, languages) : value
    },
    [t, languages],
  )
  return useMemo(
    () => ({
      getValueLabel,
      describeVoice: ({ provider, language, gender }) =>
        [getValueLabel('provider', provider), getValueLabel('language', language), getValueLabel('gender', gender)]
          .filter(Boolean)
          .join(' · '),
    }),
    [getValueLabel],
  )
}

function getProviderName(name: string, t: Translate): string {
  if (name === 'builtin') return t('Built in')
  return name === 'speech' ? t('Custom speech server') : getVendorName(name)
}

function getGenderName(gender: string, t: Translate): string {
  if (gender === 'female') return t('Female')
  if (gender === 'male') return t('Male')
  return gender === 'neutral' ? t('Neutral') : gender
}

function getLanguageName(tag: string, names: Intl.DisplayNames): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    // The tag uses a vendor-specific format.
    return tag
  }
}
