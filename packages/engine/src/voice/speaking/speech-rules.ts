import { dutch } from './languages/dutch.ts'
import { english } from './languages/english.ts'
import { french } from './languages/french.ts'
import { german } from './languages/german.ts'
import { italian } from './languages/italian.ts'
import { portuguese } from './languages/portuguese.ts'
import { spanish } from './languages/spanish.ts'
import type { SpokenLanguage } from './languages/spoken-language.ts'
import { createAddressRules } from './rules/address-rules.ts'
import { createDateRules } from './rules/date-rules.ts'
import { createAmountRules, createNumberRules, createWordRules } from './rules/number-rules.ts'
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

function createRules(language: SpokenLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [
    ...createAddressRules(language),
    ...createDateRules(language, isMonthFirst),
    ...createAmountRules(language),
    ...createNumberRules(language),
    ...createWordRules(language),
  ]
}

const RULES: Readonly<Record<string, readonly SpeechRule[]>> = {
  ...Object.fromEntries(Object.entries(LANGUAGES).map(([tag, language]) => [tag, createRules(language, false)])),
  'en-us': createRules(english, true),
  en: createRules(english, true),
  'en-ca': createRules(english, true),
  'en-ph': createRules(english, true),
  'en-gb': createRules(english, false),
  'en-au': createRules(english, false),
  'en-nz': createRules(english, false),
  'en-ie': createRules(english, false),
  'en-in': createRules(english, false),
  'en-za': createRules(english, false),
}

/** Returns a language's rules in order of precedence, or an empty list for unsupported languages. */
export function getSpeechRules(language: string): readonly SpeechRule[] {
  const tag = language.toLowerCase()
  return RULES[tag] ?? RULES[tag.split('-', 1)[0] ?? ''] ?? []
}
