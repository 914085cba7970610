/** Texts that the checks send to vendors. The log hides them. */

/** Has no comma, because a pause would divide it into two utterances. */
export const SENTENCE = 'The office opens at nine in the morning.'
export const SHORT_SENTENCE = 'Thank you for calling.'
export const LONG_SENTENCE =
  'Please hold the line while I look up your reservation, which can take up to twenty seconds on a busy day.'
export const CHINESE_SENTENCE = '你好，今天天气很好。'
export const COUNT_PROMPT = 'Count from one to thirty in words, separated by commas.'
export const WEATHER_PROMPT = 'What is the weather in Lisbon?'

export const SENT_TEXTS: readonly string[] = [
  SENTENCE,
  SHORT_SENTENCE,
  LONG_SENTENCE,
  CHINESE_SENTENCE,
  COUNT_PROMPT,
  WEATHER_PROMPT,
]
