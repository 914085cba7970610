import { foldText } from '../tokenise.ts'

/** Languages in which the model names sources and says that it found nothing. */
export type SpokenLanguage = 'en' | 'de' | 'fr' | 'es'

const functionWords: Readonly<Record<SpokenLanguage, string>> = {
  en: 'the a an is are do does did can could how much many what when where which who why i you my your we it of for to in on at with and or have has there if not any be',
  de: 'der die das den dem des ein eine einen einem einer ist sind wie viel viele was wann wo wer warum welche welcher welches ich sie du wir mein meine meinen fur mit bei zu zum zur auf und oder nicht kein keine gibt es kann konnen muss darf habe hat auch im am wird werden man kostet bitte mich mir',
  fr: 'le la les un une des du de est sont combien quand ou qui que quoi quel quelle quels quelles comment pourquoi je vous nous mon ma mes votre vos pour avec chez et pas il y a peut puis faut dois au aux en dans sur coute ce cette se l d j est-ce',
  es: 'el la los las un una es son esta estan cuanto cuanta cuantos cuando donde quien que cual como por para con mi mis su sus yo hay puedo puede tengo tiene y o no del al en se lo cuesta si me',
}
const words = Object.entries(functionWords).map(
  ([language, list]) => [language as SpokenLanguage, new Set(list.split(' '))] as const,
)

/** The language that a message is in, English when in doubt. */
export function languageOf(message: string): SpokenLanguage {
  const found = foldText(message.slice(0, 2_000)).match(/[\p{L}]+/gu) ?? []
  let best: SpokenLanguage = 'en'
  let most = 0
  for (const [language, known] of words) {
    let count = found.filter((word) => known.has(word)).length
    if (language === 'es' && /[¿¡ñ]/.test(message)) count += 2
    if (language === 'de' && /[äöüß]/i.test(message)) count += 1
    if (language === 'fr' && /[àâçèêîôûœ]|\b[ldjcnsq]u?['’]/i.test(message)) count += 1
    if (count > most) {
      best = language
      most = count
    }
  }
  return best
}

/** "page 3". */
export const pageWords: Readonly<Record<SpokenLanguage, string>> = {
  en: 'page',
  de: 'Seite',
  fr: 'page',
  es: 'página',
}

/** Says that the documents do not answer; then the same in other words, so that it is never said twice in a row. */
export const notFoundWords: Readonly<Record<SpokenLanguage, readonly [string, string]>> = {
  en: ['I could not find that in the documents I have.', 'I am afraid my documents do not say that.'],
  de: ['Dazu finde ich in den Unterlagen nichts.', 'Leider steht auch dazu nichts in den Unterlagen.'],
  fr: ["Je n'ai pas trouvé cela dans les documents.", 'Malheureusement, les documents ne le disent pas.'],
  es: ['No he encontrado eso en los documentos.', 'Lo siento, los documentos no lo dicen.'],
}

/** Leads in what comes nearest where the documents do not say exactly what was asked. */
export const nearWords: Readonly<Record<SpokenLanguage, string>> = {
  en: 'I could not find exactly that. The nearest I have:',
  de: 'Genau das finde ich nicht. Am nächsten kommt:',
  fr: "Je n'ai pas trouvé exactement cela. Le plus proche :",
  es: 'No he encontrado exactamente eso. Lo más cercano:',
}

/** Leads in what the documents are about, and the word before the last of them. */
export const coverWords: Readonly<Record<SpokenLanguage, readonly [string, string]>> = {
  en: ['What I have is about', 'and'],
  de: ['Ich habe Unterlagen zu', 'und'],
  fr: ["J'ai des documents sur", 'et'],
  es: ['Tengo documentos sobre', 'y'],
}

/** How a document is called that has no name. */
export const documentWords: Readonly<Record<SpokenLanguage, string>> = {
  en: 'document',
  de: 'Dokument',
  fr: 'document',
  es: 'documento',
}
