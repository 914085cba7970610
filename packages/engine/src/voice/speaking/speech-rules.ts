import { dutch } from './languages/dutch.ts'
import { english } from './languages/english.ts'
import { french } from './languages/french.ts'
import { german } from './languages/german.ts'
import { italian } from './languages/italian.ts'
import { portuguese } from './languages/portuguese.ts'
import { spanish } from './languages/spanish.ts'
import type { SpokenLanguage } from './languages/spoken-language.ts'
import { addressRules } from './rules/address-rules.ts'
import { dateRules } from './rules/date-rules.ts'
import { amountRules, numberRules, wordRules } from './rules/number-rules.ts'
import type { SpeechRule } from './rules/speech-rule.ts'

const LANGUAGES: Readonly<Record<string, SpokenLanguage>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
}

function rulesOf(language: SpokenLanguage, monthFirst: boolean): readonly SpeechRule[] {
  return [
    ...addressRules(language),
    ...dateRules(language, monthFirst),
    ...amountRules(language),
    ...numberRules(language),
    ...wordRules(language),
  ]
}

const RULES: Readonly<Record<string, readonly SpeechRule[]>> = {
  ...Object.fromEntries(Object.entries(LANGUAGES).map(([tag, language]) => [tag, rulesOf(language, false)])),
  'en-us': rulesOf(english, true),
  en: rulesOf(english, true),
  'en-ca': rulesOf(english, true),
  'en-ph': rulesOf(english, true),
  'en-gb': rulesOf(english, false),
  'en-au': rulesOf(english, false),
  'en-nz': rulesOf(english, false),
  'en-ie': rulesOf(english, false),
  'en-in': rulesOf(english, false),
  'en-za': rulesOf(english, false),
}

/** Returns a language's rules by precedence, or none for unsupported languages. */
export function speechRules(language: string): readonly SpeechRule[] {
  const tag = language.toLowerCase()
  return RULES[tag] ?? RULES[tag.split('-', 1)[0] ?? ''] ?? []
}
