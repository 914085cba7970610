import type { Voice } from '@parley/contract/voice'

/** Filter values by property; an empty value matches every voice. */
export interface VoiceFilter {
  readonly search: string
  readonly provider: string
  readonly gender: string
  readonly language: string
  readonly accent: string
}

export const ALL_VOICES: VoiceFilter = { search: '', provider: '', gender: '', language: '', accent: '' }

export const VOICE_PROPERTIES = ['provider', 'gender', 'language', 'accent'] as const
export type VoiceProperty = (typeof VOICE_PROPERTIES)[number]

/** Returns voices that match every search word and every property. */
export function filterVoices(voices: readonly Voice[], filter: VoiceFilter): readonly Voice[] {
  const terms = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  return voices.filter((voice) => {
    if (VOICE_PROPERTIES.some((name) => filter[name] !== '' && voice[name] !== filter[name])) return false
    const searchableText = [
      voice.name,
      voice.voiceId,
      voice.provider,
      voice.gender,
      voice.language,
      voice.accent,
      voice.description,
      ...voice.tags,
    ]
      .join(' ')
      .toLowerCase()
    return terms.every((term) => searchableText.includes(term))
  })
}

/** Lists the distinct values of a property in alphabetical order. */
export function listPropertyValues(voices: readonly Voice[], property: VoiceProperty): readonly string[] {
  const values = new Set(voices.map((voice) => voice[property]).filter((value) => value !== null && value !== ''))
  return ([...values] as string[]).sort()
}

export function isFiltered(filter: VoiceFilter): boolean {
  return Object.values(filter).some((value) => value !== '')
}
