import type { UnpromptedReason } from './conversation.ts'

/** Instructions for a model that speaks without user input. Never stored. */
export const UNPROMPTED_INSTRUCTIONS: Readonly<Record<UnpromptedReason, string>> = {
  opening:
    'The call has just begun and nobody has spoken yet. Open the conversation now as your instructions say: greet the caller in one or two short sentences and ask how you can help.',
  reminder:
    'The caller has been silent since you spoke last. Say one short sentence that brings the conversation on, for example whether they are still there or need more time. Do not repeat what you said.',
  update:
    'The message before this one is news from outside of the conversation; the caller has not heard it. Say now, briefly, what the caller should know or do because of it.',
}
