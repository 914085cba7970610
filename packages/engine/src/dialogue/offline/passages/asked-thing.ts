const noun = "((?:[\\p{L}\\p{N}'’-]+ ){0,3}?[\\p{L}\\p{N}'’-]+)"
const behind =
  '(?= (?:of|for|on|at|in|from|with|to|near|part|by|is|are|was|were|do|does|did|can|could|must|should|will|would|may|have|has|i|we|you|they|when|if|and|or|over|under|mounted|left|available|im|in|am|an|bei|zu|zur|zum|für|mit|von|auf|à|au|aux|dans|en|pour|chez|sur|de|del|para|con)(?: |$)| ?[?,.!;:]|$)'
const article =
  '(?:(?:an?|the|any|some|your|its|my|also|still|ein|eine|einen|einem|einer|auch|die|der|das|den|un|une|des|de la|le|la|les|una|unos|unas|el|los|las) )*'

const frames = [
  '\\b(?:is|are|was|were) there ',
  "\\b(?:do|does|did|can|will) (?:[\\p{L}\\p{N}'’-]+ ){1,4}?(?:have|offer|sell|provide|include|support|serve|contain|come with|rent out) ",
  '\\b(?:have you|do you) (?:got|have|sell|offer|rent|speak) ',
  "\\bwhat(?:['’]s| is| are| was| were) (?=(?:the|your|its) )",
  '\\b(?:which|what|how many) (?!of|is|are|was|were|does|do|did|can|will|would|should|must|if|about|time|the|your|happens|a|an|i|we|you)',
  '\\bgibt es ',
  '\\b(?:haben|hat|bietet|bieten|verkaufen|verkauft) (?:sie|ihr|man) ',
  '\\by a[- ]t[- ]il ',
  '\\b(?:avez|proposez|louez|vendez)[- ]vous ',
  '\\b(?:hay|tienen|tenéis|ofrecen|venden) ',
].map((lead) => new RegExp(`${lead}${article}${noun}${behind}`, 'giu'))

/** Where the things stand that a question is about: "Is there a tennis court?", "What is the excess of …?". From and to in the text. */
export function askedThings(text: string): readonly (readonly [from: number, to: number])[] {
  return frames.flatMap((frame) =>
    [...text.matchAll(frame)].map((found): readonly [number, number] => {
      const thing = found[1] ?? ''
      const to = found.index + found[0].length
      return [to - thing.length, to]
    }),
  )
}
