/** A shared voice in a provider's community. Absent fields are unknown. */
export interface SharedVoice {
  readonly id: string
  /** User who shares the voice. Only the wire format with such users returns this field. */
  readonly owner: string
  readonly name: string
  readonly description: string
  readonly gender?: string
  readonly language?: string
  readonly accent?: string
  readonly previewUrl?: string
}

/** Voices to search. */
export const SHARED_VOICES: readonly SharedVoice[] = [
  {
    id: 'Nora7calmBritish0001',
    owner: 'owner0001',
    name: 'Nora',
    description: 'Calm British narrator.',
    gender: 'female',
    language: 'en',
    accent: 'british',
    previewUrl: 'https://samples.example/nora.mp3',
  },
  {
    id: 'Theo3warmBritish0002',
    owner: 'owner0002',
    name: 'Theo',
    description: 'Warm British host.',
    gender: 'male',
    language: 'en',
    accent: 'british',
  },
  { id: 'Mara5liveGerman00003', owner: 'owner0001', name: 'Mara', description: 'Lively German guide.', language: 'de' },
]

/** Returns at most `limit` voices with all the words in their name or description. */
export function findSharedVoices(voices: readonly SharedVoice[], words: string, limit: number): readonly SharedVoice[] {
  const searchWords = words.toLowerCase().split(/\s+/)
  return voices
    .filter(({ name, description }) => {
      const text = `${name} ${description}`.toLowerCase()
      return searchWords.every((word) => text.includes(word))
    })
    .slice(0, limit)
}
