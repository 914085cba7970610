import type { Voice } from '@parley/contract/voice'

/** Creation time of the built-in voices, equal on every installation. */
const ADDED_AT = '2026-04-20T00:00:00.000Z'

type BuiltInVoice = Pick<Voice, 'voiceId' | 'name' | 'gender' | 'language' | 'accent' | 'description'>

/** Generated ids never start with this. */
const ID_PREFIX = 'voice_builtin_'

/** Whether an id belongs to a built-in voice of any version. */
export function isBuiltInVoiceId(voiceId: string): boolean {
  return voiceId.startsWith(ID_PREFIX)
}

/** The synthesizer's name of a built-in voice. */
export function builtInName(voiceId: string): string {
  return voiceId.slice(ID_PREFIX.length)
}

/** The English voices of the built-in synthesizer: small, fast and audibly synthetic. */
const VOICES: readonly BuiltInVoice[] = [
  {
    voiceId: 'voice_builtin_slt',
    name: 'Slt',
    gender: 'female',
    language: 'en-US',
    accent: 'American',
    description: 'Clear American woman. Built in: responds at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_rms',
    name: 'Rms',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'Calm American man. Built in: responds at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_kal',
    name: 'Kal',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'The smallest and most robotic of the built-in voices: an American man, for tests.',
  },
  {
    voiceId: 'voice_builtin_awb',
    name: 'Awb',
    gender: 'male',
    language: 'en-GB',
    accent: 'Scottish',
    description: 'Scottish man who reads with American pronunciation rules. Built in, sounds synthetic.',
  },
]

/** Voices of every workspace, newest first, ties by id. None has a sample yet. */
export const BUILT_IN_VOICES: readonly Voice[] = VOICES.map((voice) => ({
  ...voice,
  provider: 'builtin',
  previewUrl: null,
  playbackOverrideUrl: null,
  tags: ['built-in', 'english'],
  createdAt: ADDED_AT,
  updatedAt: ADDED_AT,
})).sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))
