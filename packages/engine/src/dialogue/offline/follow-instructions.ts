import { addressCustomer } from './classify-sentence.ts'
import { cutBefore, splitTrimmed } from './cut-text.ts'
import { indirectQuestions, namesNothing } from './indirect-question.ts'
import { asSentence, shorten } from './split-sentences.ts'

const person = '(?:the |a )?(?:user|customer|caller|patient|guest|client|them|him|her|person|visitor|lead)'
const opener = '^(?:(?:please|then|next|first|now|finally|also|start by|begin by|politely|step \\d+[:.])[, ]+)*'
const askWhether = new RegExp(
  `${opener}(?:ask|asking|find out|check with)(?: ${person})? (?:if|whether) (?:they|he|she|${person}) (.{3,160}?)[.!]?$`,
  'i',
)
const askFor = new RegExp(
  `${opener}(?:ask(?:ing)?(?: ${person})? for|collect|gather|get|request|obtain|ask ${person} to (?:provide|give|share|state|tell you))(?: from ${person})? (.{3,160}?)[.!]?$`,
  'i',
)
const askOpen = new RegExp(
  `${opener}(?:ask|asking|find out)(?: ${person})? ((?:what|which|how|when|where|who)\\b.{3,160}?)[.!]?$`,
  'i',
)
const tell = new RegExp(`${opener}(?:tell|inform|let|remind) ${person}(?: know)? that (.{3,300}?)[.!]?$`, 'i')
const quoted = new RegExp(
  `${opener}(?:say|ask|reply|respond|tell ${person}|greet ${person})\\b[^"“„]{0,40}["“„]([^"”“„]{2,300})["”“]`,
  'i',
)

function question(verbPhrase: string): string {
  const flipped = addressCustomer(verbPhrase)
  const auxiliary = /^(would|are|have|can|could|will|were|is|was|has)\b\s*(.*)/i.exec(flipped)
  if (!auxiliary) return `Do you ${flipped.replace(/^(wants|needs|likes|prefers)\b/i, (found) => found.slice(0, -1))}?`
  const verb = (auxiliary[1] ?? '').toLowerCase().replace(/^(?:is|was)$/, 'are')
  return `${verb === 'has' ? 'Have' : verb.charAt(0).toUpperCase() + verb.slice(1)} you ${auxiliary[2] ?? ''}?`
}

function openQuestion(clause: string): string {
  const turned =
    /^(.+?) (?:they|he|she|the (?:user|customer|caller|patient|guest)) (would|can|could|will|are|have|want|wants|need|needs|prefer|prefers)\b\s*(.*)/i.exec(
      clause,
    )
  if (!turned) return directQuestion(addressCustomer(clause))
  const verb = (turned[2] ?? '').toLowerCase()
  const rest = addressCustomer(turned[3] ?? '')
  const lead = asSentence(addressCustomer(turned[1] ?? '')).slice(0, -1)
  return /^(?:want|need|prefer)/.test(verb)
    ? `${lead} do you ${verb.replace(/s$/, '')} ${rest}`.replace(' :', ':').trim().concat('?')
    : `${lead} ${verb} you ${rest}`.trim().concat('?')
}

/** "What the problem is" becomes "What is the problem?"; what is a question already stays as it is. */
function directQuestion(clause: string): string {
  const turned =
    /^(what|which|how|when|where|who|why)((?: (?:kind|type|sort) of \w+)?) ((?:the|your|this|that|it)\b.{0,80}?) (is|are|was|were)$/i.exec(
      clause,
    )
  if (turned) return `${asSentence(turned[1] ?? '').slice(0, -1)}${turned[2] ?? ''} ${turned[4]} ${turned[3]}?`
  if (
    /^(?:what|which|how many|how much|who)\b(?: \w+){0,3} (?:will|is|are|was|were|happened|went|brings|should|can|caused)\b/i.test(
      clause,
    ) ||
    /^what happened\b/i.test(clause)
  )
    return `${asSentence(clause).replace(/[.]$/, '')}?`
  return `May I ask ${clause}?`
}

const askIf = new RegExp(
  `${opener}(?:ask|asking|find out|check|verify)(?: with)?(?: ${person})? (?:if|whether) (.{3,200}?)[.!?]?$`,
  'i',
)
const be = 'is|are|was|were|has|have|had|can|could|will|would|shall|should|may|might|must|does|do|did'

/** The question of an instruction to ask whether something is so; `null` when it is another one. */
export function whetherQuestion(instruction: string): string | null {
  const clause = askIf.exec(instruction)?.[1]
  if (clause === undefined) return null
  const user = new RegExp(`^(?:they|he|she|${person})(?:'d|’d)? (.+)$`, 'i').exec(clause)
  if (user !== null)
    return /^\S+(?:'d|’d)\b/.test(clause) ? question(`would ${user[1] ?? ''}`) : question(user[1] ?? '')
  const turned = new RegExp(`^(.{1,80}?) (${be})\\b ?(.*)$`, 'i').exec(addressCustomer(clause))
  if (turned !== null) {
    const verb = (turned[2] ?? '').toLowerCase()
    return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${turned[1] ?? ''} ${turned[3] ?? ''}`.trim().concat('?')
  }
  const acts = /^((?:the |your |it|this|that|everything)\w*(?: \w+)?) (\w+?)(?:s|es)?\b ?(.*)$/i.exec(
    addressCustomer(clause),
  )
  return acts === null ? null : `Does ${acts[1] ?? ''} ${acts[2] ?? ''} ${acts[3] ?? ''}`.trim().concat('?')
}

/** The questions of "for which day the cake is and for how many people"; none when it begins with something else. */
function askedClauses(item: string): string[] {
  const parts = indirectQuestions(splitTrimmed(`for ${item}`, /,|\band\b/i))
  return typeof parts[0] === 'object' ? parts.flatMap((part) => (typeof part === 'object' ? part.question : [])) : []
}

/** What an instruction wants said to the customer, in our own words; `null` when it wants nothing said, or not by such rules. */
export function sayInstruction(instruction: string): string | null {
  const text = instruction.trim().slice(0, 500)
  if (/^(?:if|when|never|do not|don't|always|unless)\b/i.test(text) || text.includes('{{')) return null
  const spoken = quoted.exec(text)?.[1]
  if (spoken !== undefined) return asSentence(spoken)
  const whether = askWhether.exec(text)?.[1]
  if (whether !== undefined) return question(whether)
  const open = askOpen.exec(text)?.[1]
  if (open !== undefined) return openQuestion(open)
  const item = askFor.exec(text)?.[1]
  if (item !== undefined && namesNothing(item)) return null
  if (item !== undefined) {
    const [asked] = askedClauses(item)
    if (asked !== undefined) return asked
    const noun = cutBefore(
      addressCustomer(item).replace(/^(?:the|a|an|your)\s+/i, ''),
      /,? (?:before|then|so that|in order|one at a time|if|politely)\b/i,
    )
    return noun === '' || /^(?:help|permission|confirmation|clarification|more)\b/i.test(noun)
      ? null
      : `Could you tell me your ${shorten(noun, 120)}?`
  }
  const told = tell.exec(text)?.[1]
  return told === undefined ? null : asSentence(addressCustomer(told))
}

/** The first instruction of the last passage that has something to say that was not said before. */
export function nextInstructed(instructions: readonly string[], said: readonly string[]): string | null {
  const isOpen = (words: string): boolean => !said.some((earlier) => earlier.includes(words))
  for (const instruction of instructions.slice(0, 200)) {
    const words = sayInstruction(instruction)
    if (words === null) continue
    if (isOpen(words)) return words
    const next = askedClauses(askFor.exec(instruction.trim().slice(0, 500))?.[1] ?? '').find(isOpen)
    if (next !== undefined) return next
  }
  return null
}
