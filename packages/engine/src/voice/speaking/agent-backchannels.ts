/** What an agent says to show that it listens, where its settings name no words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['mhm', 'uh-huh', 'okay', 'yeah'],
  de: ['mhm', 'ja', 'okay', 'genau'],
  fr: ['mhm', 'oui', "d'accord", 'je vois'],
  es: ['ajá', 'sí', 'claro', 'vale'],
  it: ['mhm', 'sì', 'certo', 'va bene'],
  pt: ['aham', 'sim', 'certo', 'entendi'],
  nl: ['mhm', 'ja', 'oké', 'precies'],
}

/** In the language of a tag such as `en-US`; what is understood anywhere for the others. */
export function agentBackchannels(language: string): readonly string[] {
  return WORDS[language.split('-', 1)[0]?.toLowerCase() ?? ''] ?? ['mhm', 'okay']
}
