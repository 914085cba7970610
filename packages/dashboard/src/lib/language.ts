import { i18n, type Messages } from '@lingui/core'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { useLingui } from '@lingui/react'
import { useCallback } from 'react'
import { readSetting, writeSetting } from './settings.ts'

/** Native language names by code. English messages are in the source code; other languages have a catalog. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const CATALOGS: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => ({}),
  de: async () => (await import('./german.ts')).messages,
}

const compiledMessages = new Map<string, ReturnType<typeof compileMessage>>()
i18n.setMessagesCompiler((message) => {
  const compiledMessage = compiledMessages.get(message) ?? compileMessage(message)
  compiledMessages.set(message, compiledMessage)
  return compiledMessage
})

/** Returns the stored language, or otherwise the first supported browser language, or English. */
export function getPreferredLanguage(): Language {
  const preferredLanguages = [readSetting('language'), ...navigator.languages].map((name) => name?.slice(0, 2))
  return (preferredLanguages.find((name) => name !== undefined && name in LANGUAGES) as Language | undefined) ?? 'en'
}

export async function activateLanguage(language: Language): Promise<void> {
  i18n.load(language, await CATALOGS[language]())
  i18n.activate(language)
  document.documentElement.lang = language
}

export function chooseLanguage(language: Language): Promise<void> {
  writeSetting('language', language)
  return activateLanguage(language)
}

export type Values = Readonly<Record<string, string | number>>

/** Translates a message, which is the English text in ICU format: `{count, plural, one {# call} other {# calls}}`. */
export type Translate = (message: string, values?: Values) => string

export function useText(): Translate {
  const { i18n: current } = useLingui()
  return useCallback((message, values) => current._(message, values), [current])
}

export function useLanguage(): Language {
  return useLingui().i18n.locale as Language
}

/** Marks an English message for later translation, so that the catalog test finds it. */
export const message = (text: string): string => text
