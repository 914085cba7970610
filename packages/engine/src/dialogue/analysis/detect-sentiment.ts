import type { ChatAnalysis } from '@parley/contract/chat'
import { foldText } from '../rules/intents.ts'

type Sentiment = NonNullable<ChatAnalysis['sentiment']>

/** Word stems and their sentiment weights, in lowercase without diacritics. */
const LEXICON: Readonly<Record<string, number>> = {
  ...assignWeight(
    2,
    'excellent amazing awesome fantastic wonderful brilliant perfect delighted outstanding superb love loved ' +
      'ausgezeichnet fantastisch wunderbar perfekt grossartig hervorragend begeister excelente perfecto parfait genial',
  ),
  ...assignWeight(
    1,
    'good great nice happy glad pleased helpful thank thanks thx appreciat cool enjoy satisfied friendly quick easy ' +
      'gut toll super freu danke zufrieden hilfreich freundlich nett gracias bueno merci bien grazie obrigado bravo',
  ),
  ...assignWeight(
    -1,
    'bad slow wrong disappoint annoy confus unhappy problem broken late delay difficult poor rude issue error fail ' +
      'complain unfortunate sad worr upset schlecht langsam falsch enttausch arger unzufrieden kaputt beschwer leider ' +
      'malo mal lent decu',
  ),
  ...assignWeight(
    -2,
    'terrible awful horrible worst hate angry furious ridiculous unacceptable useless scam disgust outrage frustrat ' +
      'incompetent furchtbar schrecklich schlimm wutend unverschamt inakzeptabel unmoglich nutzlos pesimo nul',
  ),
}

const NEGATIONS: ReadonlySet<string> = new Set(
  (
    'not no never none nobody nothing without hardly cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt ' +
    'nicht kein keine keinen nie niemals ohne pas jamais sin nunca non'
  ).split(' '),
)
/** Words that intensify the following word. */
const INTENSIFIERS: ReadonlySet<string> = new Set(
  'very really so extremely totally absolutely completely sehr wirklich total absolut muy tres molto'.split(' '),
)
/** Number of words that a negation affects. */
const NEGATION_WINDOW = 3

/** Idioms whose sentiment differs from the sentiment of their words. */
const PHRASES: readonly (readonly [pattern: RegExp, value: number])[] = [
  [/\bno (?:problem|worries|issue)s?\b|\bnot (?:bad|a problem)\b|\bkein problem\b/g, 0.5],
  [/\b(?:waste of (?:my )?time|fed up|sick of|rip[- ]?off|speak to (?:a|your) manager|get lost)\b/g, -2],
  [
    /\b(?:no thanks|no thank you|nein danke|good (?:morning|afternoon|evening|night|day)|guten (?:tag|morgen|abend))\b/g,
    0,
  ],
]

/** Minimum absolute score of a positive or negative sentiment. */
const THRESHOLD = 0.9
/** Weight of the last messages, which better reflect the user's final mood. */
const RECENT_MESSAGES_WEIGHT = 1.5

/** Detects the user's sentiment from word choice. Returns `Unknown` if there are no words or they use a non-Latin script. */
export function detectSentiment(userTexts: readonly string[]): Sentiment {
  const texts = userTexts.map((text) => text.trim()).filter((text) => text !== '')
  if (texts.length === 0) return 'Unknown'
  const score = texts.reduce((sum, text, index) => {
    const isRecent = texts.length > 2 && index >= texts.length - 2
    return sum + scoreSentiment(text) * (isRecent ? RECENT_MESSAGES_WEIGHT : 1)
  }, 0)
  if (score >= THRESHOLD) return 'Positive'
  if (score <= -THRESHOLD) return 'Negative'
  return isNonLatinScript(texts) ? 'Unknown' : 'Neutral'
}

/** Computes a message's sentiment score, from -3 (negative) to 3 (positive). */
export function scoreSentiment(text: string): number {
  let remainingText = foldText(text.slice(0, 4_000)).replaceAll("'", '')
  let score = 0
  for (const [pattern, value] of PHRASES) {
    remainingText = remainingText.replaceAll(pattern, () => {
      score += value
      return ' '
    })
  }
  for (const clause of remainingText.split(/[.!?;,:\n]|\b(?:but|aber|mais|pero)\b/)) score += scoreClause(clause)
  return Math.max(-3, Math.min(3, score))
}

function scoreClause(clause: string): number {
  const words = clause.match(/[\p{L}\p{M}]+/gu) ?? []
  let score = 0
  words.forEach((word, index) => {
    const weight = getStemWeight(word)
    if (weight === 0) return
    const precedingWords = words.slice(Math.max(0, index - NEGATION_WINDOW), index)
    const strength = INTENSIFIERS.has(precedingWords.at(-1) ?? '') ? 1.5 : 1
    // "Not good" is clearly negative, but "not bad" only slightly positive.
    const negationFactor = precedingWords.some((word) => NEGATIONS.has(word)) ? (weight > 0 ? -0.8 : -0.4) : 1
    score += weight * strength * negationFactor
  })
  return score
}

function getStemWeight(word: string): number {
  for (let length = word.length; length >= 3; length -= 1) {
    const stem = word.slice(0, length)
    if (!Object.hasOwn(LEXICON, stem)) continue
    // Short stems match nearly whole words only, because "mal" must not match "mallet".
    return stem.length >= 5 || word.length - stem.length <= 1 ? (LEXICON[stem] ?? 0) : 0
  }
  return 0
}

function isNonLatinScript(texts: readonly string[]): boolean {
  const letters = texts.join('').match(/\p{L}/gu) ?? []
  const latinLetters = letters.filter((letter) => /\p{Script=Latin}/u.test(letter))
  return letters.length > 0 && latinLetters.length < letters.length / 2
}

function assignWeight(weight: number, words: string): Record<string, number> {
  return Object.fromEntries(words.split(' ').map((word) => [word, weight]))
}
