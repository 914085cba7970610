import { addressCustomer } from './classify-sentence.ts'
import { cutBefore, joinLines, trimEndMarks } from './cut-text.ts'
import { sayInstruction, whetherQuestion } from './follow-instructions.ts'
import { asksIndirectly, namesNothing } from './indirect-question.ts'
import { phraseLabelled } from './phrase-fact.ts'
import { asSentence, shorten } from './split-sentences.ts'

/** One thing that an instruction wants done in words. */
export type Act =
  /** Said as it is. */
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'ask'; readonly text: string }
  /** Asks for these values, one after the other, as far as they are not known. */
  | { readonly type: 'collect'; readonly phrase: string }
  /** Tells what is known of this. */
  | { readonly type: 'tell'; readonly topic: string }
  | { readonly type: 'summarise'; readonly details: string }
  | { readonly type: 'greet' }
  | { readonly type: 'introduce' }
  | { readonly type: 'farewell'; readonly text: string }

const person =
  '(?:the |a )?(?:user|customer|caller|patient|guest|client|tenant|member|visitor|person|lead|traveller|traveler|passenger|applicant|them|him|her)'
const lead =
  /^(?:(?:please|you (?:need|have) to|you (?:must|should|will|can)|then|next|first(?:ly)?|now|finally|also|afterwards|after that|start by|begin by|politely|kindly|briefly|friendly|warmly|\d+[.):]|step \d+[.:]|[-*•])[, ]+)+/i
const byAsking = /^.{0,80}\bby asking\b/i
const verbs =
  'ask|tell|inform|let|thank|say|offer|apologi[sz]e|explain|confirm|wish|end|collect|gather|repeat|find out|check|greet|welcome|introduce|remind|mention|summari[sz]e|verify|request|get|express|close|conclude'
const joint = new RegExp(
  `[,;]?\\s(?:and|then|and then|before you)\\s+(?=(?:politely |then |also )?(?:${verbs})\\b)|[;,]\\s+(?=(?:then|and) (?:${verbs})\\b)`,
  'i',
)
const finite =
  /\b(?:is|are|was|were|am|has|have|had|will|can|cannot|could|may|must|should|would|costs?|takes?|needs?|does|do|starts?|begins?|ends?|arrives?|includes?|we|you|there)\b|\b(?:\w+n't)\b/i
const telling = new RegExp(
  `^(?:tell|inform|let|remind|notify|advise|assure|update|give|provide|show|share with|present) ${person}(?: know)?(?: (?:of|about|on|with))? (.+)$`,
  'is',
)
const stating = new RegExp(
  `^(?:say|state|explain|mention|point out|announce|express|clarify|confirm|let (?:them|${person}) know)(?: (?:to|with) ${person})?,? (?:that )?(.+)$`,
  'is',
)
const listing = new RegExp(
  `^(?:ask(?:ing)?(?: ${person})? for|ask ${person}|collect(?:ing)?|gather(?:ing)?|get|request(?:ing)?|obtain|verify|find out|capture|take(?: down)?|ask ${person} to (?:provide|give|share|state|tell you|enter))(?: from ${person})?:?\\s+(.+)$`,
  'is',
)
const repeating = /^(?:repeat|summari[sz]e|read back|recap|confirm|go over|review)\s+(?!that\b)(.+)$/is

function withColon(text: string): { readonly label: string; readonly content: string } | null {
  const found = /^([^:.!?\n]{2,80}):\s+(.{2,})$/s.exec(text)
  return found === null ? null : { label: found[1] ?? '', content: joinLines(found[2] ?? '').trim() }
}

function ofTelling(rest: string): Act | null {
  const told = addressCustomer(rest.replace(/^that\s+/i, '')).trim()
  const parts = withColon(told)
  if (parts !== null) {
    const label = parts.label.replace(/^(?:(?:the|these|following)\s+)+/i, '')
    return {
      type: 'say',
      text:
        label.length < 40 ? phraseLabelled(asSentence(label).slice(0, -1), parts.content) : asSentence(parts.content),
    }
  }
  if (/^(?:nothing|no|only)\b/i.test(told)) return null
  if (/^(?:what|how|when|where|which|who|whether|if|why)\b/i.test(told) || !finite.test(told))
    return { type: 'tell', topic: told.replace(/^(?:the|about)\s+/i, '').slice(0, 200) }
  return { type: 'say', text: asSentence(shorten(told, 600)) }
}

/** "What is not known yet: …", "the following details: …": what follows is wanted. */
const unnamedList =
  /^(?:for )?(?:what(?:ever)?|all|everything|anything|those|these|(?:the |your )?(?:following|missing|rest|remaining|values?|details?|data|information|things?|items?))\b[^:]{0,80}:\s*/i
/** An instruction to ask for something in a clause of its own: "find out on which day …". */
const clauses = new RegExp(
  `^(?:ask|asking|find out|check)(?: ${person})?(?:,)? ((?:(?:for|on|at|in|by|to|from|until|since|with|under) )?(?:which|what|how|when|where|who|why)\\b.+)$`,
  'is',
)

const afterListing =
  /,? (?:before|then|so that|in order|one at a time|one by one|if|politely|again|using|to (?:look|find|verify|identify|proceed|continue))\b/i

function ofListing(rest: string): Act | null {
  const wanted = cutBefore(addressCustomer(joinLines(rest)), afterListing)
  const phrase = trimEndMarks(wanted, '.!,').trimStart().replace(unnamedList, '')
  if (phrase === '' || namesNothing(phrase)) return null
  if (/^(?:to|if|whether|what|which|how|when|where|who|why)\b/i.test(phrase) && !asksIndirectly(phrase)) return null
  if (/^(?:help|permission|clarification|more|you|it|anything)\b/i.test(phrase)) return null
  if (/^(?:your )?(?:confirmation|agreement|consent|approval)\b/i.test(phrase))
    return { type: 'ask', text: 'Is that all right?' }
  return { type: 'collect', phrase: phrase.replace(/^your /i, '') }
}

function ofRepeating(rest: string): Act | null {
  const parts = withColon(rest)
  if (parts !== null) return { type: 'summarise', details: addressCustomer(parts.content) }
  return /\b(?:details?|booking|reservation|appointment|order|information|data|everything|it|what|request|answers?|summary|address|number|name)\b/i.test(
    rest,
  )
    ? { type: 'summarise', details: '' }
    : null
}

const courtesies: readonly (readonly [RegExp, (found: RegExpExecArray) => Act])[] = [
  [/^(?:greet|welcome)\b/i, () => ({ type: 'greet' })],
  [/^introduce yourself\b/i, () => ({ type: 'introduce' })],
  [
    new RegExp(`^thank ${person}(?: (for (?!the user|the customer)[^.,]{2,80}))?`, 'i'),
    (found) => ({
      type: 'say',
      text: found[1] === undefined ? 'Thank you!' : `Thank you ${addressCustomer(found[1])}!`,
    }),
  ],
  [
    /^(?:apologi[sz]e|say (?:you are |that you are )?sorry|express (?:regret|sympathy|empathy))(?: to [a-z ]{2,20})?(?: (?:for|that|about) ([^.]{2,160}))?/i,
    (found) => ({
      type: 'say',
      text:
        found[1] === undefined
          ? 'I am sorry about that.'
          : `I am sorry for ${addressCustomer(found[1]).replace(/^(?:for|about) /, '')}.`,
    }),
  ],
  [
    /^(?:say (?:good ?)?bye|(?:end|close|conclude|finish) (?:the )?(?:call|chat|conversation))\b/i,
    () => ({ type: 'farewell', text: 'Goodbye!' }),
  ],
  [
    new RegExp(`^wish ${person} (a [^.,]{3,40})`, 'i'),
    (found) => ({ type: 'farewell', text: `Have ${found[1] ?? 'a nice day'}!` }),
  ],
  [
    new RegExp(`^offer(?: ${person})? to (.{3,160})$`, 'i'),
    (found) => ({
      type: 'ask',
      text: `Would you like me to ${trimEndMarks(addressCustomer(found[1] ?? ''), '.!')}?`,
    }),
  ],
  [
    new RegExp(`^offer(?: ${person})? ((?:a|an|the|another|some|help|free|\\d).{2,160})$`, 'i'),
    (found) => ({ type: 'ask', text: `Would you like ${trimEndMarks(addressCustomer(found[1] ?? ''), '.!')}?` }),
  ],
  [
    /^(?:ask|find out)(?: .{0,20}?)? (?:how|what|if) (?:you|i|we) (?:can|may) (?:help|assist|do)\b|^(?:ask|find out) (?:how to help|what (?:they|he|she|the \w+) (?:need|want|would like)s?(?: help with)?\.?$)/i,
    () => ({ type: 'ask', text: 'How can I help you?' }),
  ],
  [
    /^(?:ask|check|find out)\b.{0,40}\b(?:anything|something) else\b|^ask\b.{0,30}\b(?:further|more|other) questions\b/i,
    () => ({ type: 'ask', text: 'Is there anything else I can help you with?' }),
  ],
  [
    new RegExp(`^(?:ask|request|tell) ${person} to (?!(?:provide|give|share|state|enter|tell)\\b)(.{3,200})$`, 'i'),
    (found) => ({ type: 'ask', text: `Could you ${trimEndMarks(addressCustomer(found[1] ?? ''), '.!')}, please?` }),
  ],
]

function actOf(clause: string): Act | null {
  const text = clause.trim().replace(lead, '').replace(byAsking, 'ask').trimEnd()
  const plain = trimEndMarks(text, '.!')
  if (plain === '' || /^(?:never|do not|don't|always|unless|avoid|be|keep|use)\b/i.test(plain) || plain.includes('{{'))
    return null
  const quoted = /["“„]([^"”“„]{2,400})["”“]/.test(plain) ? sayInstruction(plain) : null
  if (quoted !== null) return quoted.endsWith('?') ? { type: 'ask', text: quoted } : { type: 'say', text: quoted }
  for (const [form, make] of courtesies) {
    const found = form.exec(plain)
    if (found !== null) return make(found)
  }
  const whether = whetherQuestion(plain)
  if (whether !== null) return { type: 'ask', text: whether }
  const told = telling.exec(plain)?.[1]
  if (told !== undefined) return ofTelling(told)
  const repeated = repeating.exec(plain)?.[1]
  const summary = repeated === undefined ? null : ofRepeating(repeated)
  if (summary !== null) return summary
  const listed = clauses.exec(plain)?.[1] ?? listing.exec(plain)?.[1]
  const collected = listed === undefined ? null : ofListing(listed)
  if (collected !== null) return collected
  const said = sayInstruction(plain)
  if (said !== null) return said.endsWith('?') ? { type: 'ask', text: said } : { type: 'say', text: said }
  const stated = stating.exec(plain)?.[1]
  return stated === undefined ? null : ofTelling(stated)
}

/** What a sentence of an instruction wants done, in order; empty when it wants nothing said, or not by such rules. */
export function actsOf(sentence: string): Act[] {
  const parts = sentence
    .slice(0, 1_500)
    .split(joint)
    .filter((part) => part !== undefined)
  return parts.slice(0, 8).flatMap((part) => actOf(part) ?? [])
}
