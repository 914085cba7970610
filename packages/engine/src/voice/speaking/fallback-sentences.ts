/** Sentences to speak if no model answers in time and the agent has no fallback sentence. */
const SENTENCES: Readonly<Record<string, string>> = {
  en: 'I am sorry, I cannot answer that right now. Could you say it again?',
  de: 'Es tut mir leid, ich kann das gerade nicht beantworten. Können Sie es noch einmal sagen?',
  fr: 'Je suis désolé, je ne peux pas répondre pour le moment. Pouvez-vous répéter ?',
  es: 'Lo siento, ahora mismo no puedo responder. ¿Puede repetirlo?',
  it: 'Mi dispiace, in questo momento non posso rispondere. Può ripetere?',
  pt: 'Desculpe, não consigo responder agora. Pode repetir?',
  nl: 'Het spijt me, ik kan dat nu niet beantwoorden. Kunt u het herhalen?',
}

/** Returns the fallback sentence for a language tag such as `de-AT`, or the English one for unsupported languages. */
export function getFallbackSentence(language: string): string {
  return SENTENCES[language.slice(0, 2).toLowerCase()] ?? SENTENCES.en ?? ''
}
