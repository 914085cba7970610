import type { SpokenLanguage } from '../languages/spoken-language.ts'
import { anyOf, LETTER, rule, SIGN, type SpeechRule } from './speech-rule.ts'

/** Abbreviations and signs. */
export function wordRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words, abbreviations } = language
  const sign = (pattern: string, spoken: string) => rule(SIGN, pattern, () => spoken)
  return [
    ...language.specialCases.map(([pattern, spoken]) =>
      rule(pattern.startsWith('§') ? SIGN : LETTER, pattern, ([written]) => spoken + trailingStop(written)),
    ),
    rule(LETTER, `(?:${anyOf(Object.keys(abbreviations))})(?![\\p{L}\\p{N}])`, ([written]) => {
      const spoken = abbreviations[written]
      return spoken === undefined ? null : spoken + trailingStop(written)
    }),
    rule(['dash'], '[-–](?<=[\\d%ap€]m?\\.? ?.)(?= ?[$€£]?\\d)', () => ` ${words.to} `),
    sign('&', ` ${words.and} `),
    sign('\\+(?=[\\s\\d]|$)', ` ${words.plus} `),
    sign('=', ` ${words.equals} `),
    sign('[×*](?= ?\\d)', ` ${words.times} `),
    sign('[~≈](?= ?[$€£]?\\d)', `${words.about} `),
    sign('@(?=\\s|$)', ` ${words.at} `),
    sign('\\/(?=\\p{L})', ' '),
  ]
}

/** Stands for a full stop that may end a sentence as well. */
function trailingStop(written: string): string {
  return written.endsWith('.') ? '\u0000' : ''
}
