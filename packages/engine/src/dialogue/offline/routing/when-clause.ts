import { trimEndMarks } from '../cut-text.ts'
import { splitSentences } from '../split-sentences.ts'

const forbidding = /^(?:do not|don't|never|not for|only after|avoid)\b/i
const lead =
  /^(?:(?:please )?(?:use|call|invoke|choose|run|trigger|go|move|transition|switch|hands?|transfers?|proceeds?|pass(?:es)?|takes?)\b.{0,80}?)\b(?=(?:when(?:ever)?|if|once|as soon as|in case|after)\b)/i

/** The condition that a description of a tool states ("Use this when the user wants to pay"); the description itself when it states none. */
export function whenOf(description: string): string {
  const sentences = splitSentences(description.slice(0, 2_000).replace(/\s+/g, ' ')).filter(
    (sentence) => !forbidding.test(sentence),
  )
  const stated =
    sentences.find((sentence) => /\b(?:when(?:ever)?|if|once|as soon as|in case)\b/i.test(sentence)) ??
    sentences[0] ??
    ''
  const condition = stated.replace(lead, '')
  const plain = condition
    .replace(/^(?:transition|go|move|switch) to (?:the )?(.{2,60}?)(?: (?:state|step|node|part|section))?\.?$/i, '$1')
    .replace(
      /^(?:hands?|transfers?|passes|connects?|routes?|forwards?|escalates?) (?:the )?(?:conversation|chat|call|user|customer|caller) (?:over )?(?:to|with) /i,
      '',
    )
    .replace(
      /^(?:hands?|transfers?|passe?s?|connects?|routes?|forwards?|switch(?:es)?|escalates?|redirects?|refers?|puts?)(?: (?:over|on|back|through))? (?:to|with) (?:.{2,60}? for (?=(?:all |any )?(?:questions?|problems?|requests?|issues?|help|everything|matters?)\b))?/i,
      '',
    )
  return trimEndMarks(plain, '.!').trimStart()
}
