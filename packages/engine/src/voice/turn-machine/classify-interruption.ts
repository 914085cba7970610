import { endsAsQuestion } from './endpointing/expected-answer.ts'
import { phraseLength, splitWords } from './words/split-words.ts'
import type { WordList } from './words/word-list.ts'

/**
 * What a caller's words over the agent's are. `backchannel`: it goes on speaking. `answer`: the same words, but to a question,
 * so they are the next turn. `command`: it is told to stop. `interruption`: anything else.
 */
export type InterruptionKind = 'backchannel' | 'answer' | 'command' | 'interruption'

export interface InterruptionText {
  readonly text: string
  readonly agentName: string
  /** What the agent said last is a question, and nothing follows it. */
  readonly isAfterQuestion: boolean
}

const BACKCHANNEL_WORDS = 3

/** Judges the words of a caller while the agent speaks, or right after it. */
export function classifyInterruption(heard: InterruptionText, words: WordList): InterruptionKind {
  if (isBackchannel(heard.text, words)) return heard.isAfterQuestion ? 'answer' : 'backchannel'
  return isCommand(heard.text, heard.agentName, words) ? 'command' : 'interruption'
}

/** At most three words, all of which only show that one listens. */
export function isBackchannel(text: string, words: WordList): boolean {
  const spoken = splitWords(text)
  if (spoken.length === 0 || spoken.length > BACKCHANNEL_WORDS || endsAsQuestion(text)) return false
  let position = 0
  while (position < spoken.length) {
    const length = phraseLength(spoken, position, words.backchannels)
    if (length === 0) return false
    position += length
  }
  return true
}

/** Begins with a word that stops the agent, or with the agent's name. */
function isCommand(text: string, agentName: string, words: WordList): boolean {
  const spoken = splitWords(text)
  if (phraseLength(spoken, 0, words.commands) > 0) return true
  const name = splitWords(agentName)
  return name.length > 0 && name.every((word, index) => spoken[index] === word)
}
