import { endsAsQuestion } from './endpointing/expected-answer.ts'
import { phraseLength, splitWords } from './words/split-words.ts'
import type { WordList } from './words/word-list.ts'

/**
 * Kind of caller speech over the agent: `backchannel` lets it continue, `answer` is a backchannel word that answers a
 * question, `command` stops it.
 */
export type InterruptionKind = 'backchannel' | 'answer' | 'command' | 'interruption'

export interface InterruptionText {
  readonly text: string
  readonly agentName: string
  /** The agent's last words are a question. */
  readonly isAfterQuestion: boolean
}

const BACKCHANNEL_WORDS = 3

/** Classifies caller speech during or right after the agent's speech. */
export function classifyInterruption(heard: InterruptionText, words: WordList): InterruptionKind {
  if (isBackchannel(heard.text, words)) return heard.isAfterQuestion ? 'answer' : 'backchannel'
  return isCommand(heard.text, heard.agentName, words) ? 'command' : 'interruption'
}

/** At most three words, all of them backchannels. */
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

/** Starts with a stop word or the agent's name. */
function isCommand(text: string, agentName: string, words: WordList): boolean {
  const spoken = splitWords(text)
  if (phraseLength(spoken, 0, words.commands) > 0) return true
  const name = splitWords(agentName)
  return name.length > 0 && name.every((word, index) => spoken[index] === word)
}
