import { intentsOf, polarityOf, withoutGreeting } from '../intents.ts'

/** How somebody takes what was asked. */
export interface Stance {
  readonly polarity: 'yes' | 'no' | null
  /** Said as such ("no, …"), so that it counts whatever was asked; else it only counts as an answer to a yes-or-no question. */
  readonly plain: boolean
  readonly unsure: boolean
  /** What is said beside it. */
  readonly rest: string
}

const filler =
  /^(?:u+h*m+|u+h+|h+m+|well|oh|ah|so|sorry|i(?:'m| am) afraid|unfortunately|luckily|fortunately|actually|honestly|please)[\s,.!-]+/i
const unsure =
  /\b(?:(?:i )?(?:do not|don't|dunno|couldn't) (?:really )?know\b(?! (?:how|what|why|when|where|who|the|my|it))|not (?:so |really |quite |entirely )?sure|no idea$|maybe|perhaps|i guess not sure|it depends|hard to say)\b/i
const opensYes =
  /^(?:yes|yep|yup|yeah|yea|alright|all right|sure|ok(?:ay)?|go for it|go on|go ahead|let(?:'s| us) (?:do|go|continue|proceed)|do (?:it|that|so)|continue|carry on|proceed|i(?:'d| would) (?:love|like|be happy|be glad)|happy to|with pleasure|by all means|i (?:am|do|have|did|was|would|will|can)(?=[\s.!,]*$)|we (?:are|do|have|did|will)(?=[\s.!,]*$)|i(?:'ll| will) be (?:there|here|home)|of course|definitely|that (?:works|sounds|would|will|fixed|did it|helped|solved)|it (?:works|worked|does|did)(?! not|n't)|works|sounds|great|perfect|excellent|wonderful|super|cool)\b/i
const hasYes =
  /\b(?:so yes|i think so|i guess so|sounds (?:good|great|fine|perfect)|that fixed it|that helped|it works|works (?:again|now|fine|for me))\b/i
const opensNo =
  /^(?:no|nope|nah|none|nobody|no one|neither|never|nothing|not (?:yet|at all|really|quite|any|now)|still (?:not|no|nothing|the same|broken|down)|stop)\b/i
const plainNo =
  /\b(?:(?:i|we)(?:'d| would) rather not|rather not|(?:i|we) (?:do not|don't) (?:want|need|think so|wish|agree)|not interested|no longer (?:want|need)|(?:can't|cannot|couldn't) make it)\b/i
const factNo =
  /\b(?:still (?:not|no|nothing|the same|broken|down|doesn't|isn't|won't)|nobody|no one|(?:does|did|is|was|are|were|has|have|do|can|could|would|will|wo)(?:n't| not)|cannot|never|nothing)\b/i

/** Reads the stance of a message. */
export function stanceOf(message: string): Stance {
  let text = (withoutGreeting(message) || message).trim().slice(0, 1_000).replaceAll('’', "'")
  for (let pass = 0; pass < 3; pass++) text = text.replace(filler, '')
  const hesitates = unsure.test(text)
  const known = polarityOf(text)
  const yes = opensYes.exec(text)
  const no = opensNo.exec(text)
  const rest = text.slice((yes ?? no)?.[0].length ?? 0).replace(/^[\s,.!;:-]+/, '')
  if (no !== null && !/^no (?:problem|worries)\b/i.test(text))
    return { polarity: 'no', plain: true, unsure: hesitates, rest }
  if (plainNo.test(text)) return { polarity: 'no', plain: true, unsure: false, rest: text }
  if (hesitates) return { polarity: null, plain: false, unsure: true, rest: text }
  if (yes !== null && !/^(?:i|it|that|we)\b.*\b(?:not|n't)\b/i.test(yes[0]))
    return { polarity: 'yes', plain: true, unsure: false, rest }
  if (intentsOf(text).has('cancel')) return { polarity: 'no', plain: false, unsure: false, rest: text }
  if (hasYes.test(text) && !factNo.test(text)) return { polarity: 'yes', plain: true, unsure: false, rest: text }
  if (factNo.test(text)) return { polarity: 'no', plain: false, unsure: false, rest: text }
  return { polarity: known, plain: false, unsure: false, rest: text }
}

const askedWhether =
  /(?:^|[,.!:]\s+|\band )(?:would|do|does|did|is|are|was|were|have|has|had|can|could|shall|should|will|may)\b[^?]{2,300}\?/i
const tagged = /,\s*(?:right|correct|ok(?:ay)?|yes|is(?:n't)? (?:that|it)|are(?:n't)? you)\s*\?/i

/** From the start of the last sentence with a question mark to the end, '' without one. */
function lastQuestion(text: string): string {
  const mark = text.lastIndexOf('?')
  const before = text.slice(0, Math.max(0, mark))
  const start = Math.max(before.lastIndexOf('.'), before.lastIndexOf('!'), before.lastIndexOf('?'))
  return mark < 0 ? '' : text.slice(start + 1)
}

/** Whether the agent's text ends with a question that yes or no answers. */
export function asksWhether(asked: string): boolean {
  const last = asked.slice(-400).replaceAll('’', "'")
  const question = lastQuestion(last)
  return question !== '' && (askedWhether.test(question.trim()) || tagged.test(question)) && !isAlternative(question)
}

/** "Single or double?" cannot be answered with yes. */
function isAlternative(question: string): boolean {
  return (
    /\b\w+ or (?:an? |the )?\w+(?: \w+)?\s*\?/i.test(question) &&
    !/\b(?:or (?:not|so|anything|something)|more questions?)\b/i.test(question)
  )
}

/** Whether a question leaves open what the answer is about: "What can I do for you?", "What happened?" */
export function asksOpenly(question: string): boolean {
  return /\bhow (?:can|may) (?:i|we) (?:help|assist)\b|\bwhat (?:can|may) (?:i|we) do\b|\bwhat (?:brings|seems|happened|exactly|is the matter|is (?:wrong|going on)|would you like to (?:report|tell|discuss))\b|\btell me (?:more|about|what)\b|\bdescribe\b|\bwhat(?:'s| is) (?:it|this|your \w+) about\b/i.test(
    question,
  )
}

/** Whether the agent asked if there is more to do. */
export function asksForMore(asked: string): boolean {
  return /\b(?:anything|something) else\b[^.!]*\?|\b(?:further|more|other) (?:questions?|help|assistance)\b[^.!]*\?|\bhelp you with (?:anything|something)\b[^.!]*\?/i.test(
    asked.slice(-300),
  )
}
