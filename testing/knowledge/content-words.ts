/** Function words in the languages of the corpus. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again ahead all also always am an and any anything are as at be because been before being below but by can could did do
does doing down during each else few for from further get gets getting give go goes going got had has have having he her here
hers him his how i if in into is it its itself just keep let like long may me might mine more most much must my no nor not
now of off often on once one only or other our ours out over own please same shall she should since so some something still
such take than that the their them then there these they thing this those through till to too under until up us use very
want wants was we were what when where which while who whom whose why will with within without would yes you your yours
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war wird werden wurde kann können darf muss
mein meine meinem meinen meiner ich wir sie er es uns mich mir wie viel was wann wo wer wird auf an am im in ins bei beim mit
ohne für von vom zu zum zur nach aus um als auch nicht kein keine man da dass so nur noch schon los wenn haben hat
le la les l un une des du de d et ou mais est sont sera serons a à au aux en dans par pour avec sans sur que qui quoi quel
quelle quels combien où nous vous notre il elle faut on ce cette ne pas plus
el los las una unos unas y o es son hay del al por para con sin que qué cómo cuánto cuántos cuando cuándo dónde si mi me`
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/\s+/),
)

/** Splits a text into words, in lower case and without diacritics. */
export function splitWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Returns the distinct content words of a text, without the most frequent endings. */
function findContentWords(text: string): Set<string> {
  return new Set(
    splitWords(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stripEnding),
  )
}

function stripEnding(word: string): string {
  const stem = word.replace(/(?:ings?|ies|ed|es|en|er|e|s|n|y)$/, '')
  return stem.length >= 3 ? stem : word
}

/** Returns the share (0 to 1) of a question's content words that a passage contains. */
export function calculateWordShare(question: string, passage: string): number {
  const questionWords = findContentWords(question)
  const passageWords = findContentWords(passage)
  let shared = 0
  for (const word of questionWords) if (passageWords.has(word)) shared += 1
  return questionWords.size === 0 ? 0 : shared / questionWords.size
}

/** Returns the first `length` consecutive words that both texts contain, or `null`. */
export function findCopiedWords(question: string, passage: string, length: number): string | null {
  const passageWords = ` ${splitWords(passage).join(' ')} `
  const words = splitWords(question)
  for (let start = 0; start + length <= words.length; start += 1) {
    const phrase = words.slice(start, start + length).join(' ')
    if (passageWords.includes(` ${phrase} `)) return phrase
  }
  return null
}
