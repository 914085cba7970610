/**
 * The voices that OpenAI's speech wire documents, as of 2026-03. The wire has no list of them, and tells no gender: those here
 * are how they sound to most listeners.
 */
export const OPENAI_VOICES = [
  { name: 'alloy', gender: 'neutral', description: 'Balanced and neutral.' },
  { name: 'ash', gender: 'male', description: 'Clear and precise.' },
  { name: 'ballad', gender: 'male', description: 'Melodic and smooth.' },
  { name: 'coral', gender: 'female', description: 'Warm and friendly.' },
  { name: 'echo', gender: 'male', description: 'Resonant and deep.' },
  { name: 'fable', gender: 'neutral', description: 'Expressive, for stories.' },
  { name: 'nova', gender: 'female', description: 'Bright and energetic.' },
  { name: 'onyx', gender: 'male', description: 'Dark and composed.' },
  { name: 'sage', gender: 'female', description: 'Calm and thoughtful.' },
  { name: 'shimmer', gender: 'female', description: 'Light and cheerful.' },
  { name: 'verse', gender: 'male', description: 'Versatile and lively.' },
  { name: 'marin', gender: 'female', description: 'Natural and relaxed.' },
  { name: 'cedar', gender: 'male', description: 'Natural and steady.' },
] as const
