/** What a voice says that was given nothing to say, by language. */
const SENTENCES: Readonly<Record<string, string>> = {
  en: 'Hello, this is how I sound. What can I do for you today?',
  de: 'Hallo, so klinge ich. Was kann ich heute für Sie tun?',
  fr: 'Bonjour, voici ma voix. Que puis-je faire pour vous aujourd’hui ?',
  es: 'Hola, así sueno. ¿En qué puedo ayudarle hoy?',
  it: 'Buongiorno, questa è la mia voce. Come posso aiutarla oggi?',
  pt: 'Olá, esta é a minha voz. Em que posso ajudar hoje?',
  nl: 'Hallo, zo klink ik. Wat kan ik vandaag voor u doen?',
  pl: 'Dzień dobry, tak brzmi mój głos. W czym mogę dziś pomóc?',
  sv: 'Hej, så här låter jag. Vad kan jag hjälpa dig med i dag?',
  da: 'Hej, sådan lyder jeg. Hvad kan jeg hjælpe dig med i dag?',
  tr: 'Merhaba, sesim böyle. Bugün size nasıl yardımcı olabilirim?',
  ja: 'こんにちは。これが私の声です。本日はどのようなご用件でしょうか。',
  zh: '您好，这就是我的声音。今天有什么可以帮您？',
}
const ENGLISH = 'en'

/** A sentence in the language of a tag such as `de-AT`; in English for one that has none here. */
export function previewSentence(language: string): string {
  const [base = ENGLISH] = language.toLowerCase().split('-')
  return (Object.hasOwn(SENTENCES, base) ? SENTENCES[base] : SENTENCES[ENGLISH]) ?? ''
}
