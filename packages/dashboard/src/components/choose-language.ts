import { chooseLanguage, type Language, useText } from '../lib/language.ts'
import { complain } from './toasts.tsx'

/** Shows everything in another language, or says why not: its words are loaded when it is chosen. */
export function useChooseLanguage(): (language: Language) => void {
  const t = useText()
  return (language) =>
    void chooseLanguage(language).catch(() =>
      complain(t('The language failed to load. Check your connection and reload the page.')),
    )
}
