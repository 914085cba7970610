import type { TurnSettings } from './settings.ts'

const MAX_DIGITS = 50

export interface PressedDigits {
  readonly text: string
  readonly isDone: boolean
}

/** What was pressed, after another key. The key that ends it is not part of it; nothing before it means nothing. */
export function pressDigit(pressed: string, digit: string, settings: TurnSettings['dtmf']): PressedDigits {
  if (digit === settings.terminationKey) return { text: pressed, isDone: pressed !== '' }
  const text = `${pressed}${digit}`.slice(0, MAX_DIGITS)
  return { text, isDone: text.length >= Math.min(MAX_DIGITS, settings.digitLimit ?? MAX_DIGITS) }
}
