import { chooseLanguage, type Language, useText } from '../lib/language.ts'
import { notifyError } from './toasts.tsx'

/** Returns a function that switches the language, or reports that its catalog failed to load. */
export function useChooseLanguage(): (language: Language) => void {
  const t = useText()
  return (language) =>
    void chooseLanguage(language).catch(() =>
      notifyError(t('The language failed to load. Check your connection and reload the page.')),
    )
}
