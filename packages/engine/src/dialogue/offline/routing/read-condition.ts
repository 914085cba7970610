import { splitTrimmed, trimEndMarks } from '../cut-text.ts'
import { type Topic, topicsOf } from './topics.ts'
import { oppositeOf } from './vocabulary.ts'

/** What a condition is about, which decides how it is held against what was said. */
export type ConditionKind =
  | 'agree'
  | 'refuse'
  | 'leave'
  | 'more'
  | 'person'
  | 'anger'
  | 'unsure'
  | 'provided'
  | 'lacking'
  | 'quantity'
  | 'question'
  | 'answered'
  | 'catch-all'
  | 'topic'

/** A comparison with a number. */
export interface Quantity {
  readonly least: number
  readonly most: number
  readonly topics: readonly Topic[]
}

/** A condition in words, read once. */
export interface Condition {
  readonly text: string
  readonly kinds: ReadonlySet<ConditionKind>
  /** Says that something is not so, or not wanted. */
  readonly negative: boolean
  readonly topics: readonly Topic[]
  /** What the condition takes for the opposite, by meaning. */
  readonly opposed: readonly string[]
  /** The ways in which it may be fulfilled: the parts between "or" and commas. */
  readonly alternatives: readonly (readonly Topic[])[]
  /** Parts between "and", each with a verb of its own. */
  readonly parts: readonly string[]
  readonly quantity: Quantity | null
  /** Speaks of the one the agent talks to. */
  readonly aboutUser: boolean
  /** What must have been given, one entry per value; `null` when the condition names none. */
  readonly values: string | null
}

const persons =
  'user|customer|caller|patient|guest|client|tenant|member|visitor|person|lead|prospect|buyer|shopper|student|applicant|candidate|passenger|travell?er|driver|owner|subscriber|policy ?holder|contact|employee|parent|they|he|she|somebody|someone'
const subject = new RegExp(
  `^(?:(?:if|when|whenever|once|as soon as|in case|only if|that) )?(?:the |a |an )?(?:(?:${persons})\\b|[a-z]+(?=s? (?:wants?|would|asks?|says?|needs?|insists|complains|proposes|confirms|agrees|mentions|reports|gives?|gave|provided)\\b))(?:'s)?`,
  'i',
)

const signs: readonly (readonly [ConditionKind, RegExp])[] = [
  [
    'catch-all',
    /^(?:(?:says?|asks?|wants?|answers?|replies|mentions|talks? about|responds?)(?: with| about| for)? )?(?:any|some|every)thing else\b(?! (?:to|they|is needed|i |you))|\b(?:unrelated|off[- ]topic|unclear|unintelligible|none of (?:the|these)|other(?:wise)? (?:topics?|requests?|cases?|reasons?|questions?)|any other)\b|^(?:else|otherwise|other|default|fallback)\b|^(?:responds|replies|says something|speaks)$/i,
  ],
  [
    'leave',
    /\bgood ?bye\b|\bsays? bye\b|\b(?:end|leave|finish|close|conclude)s? (?:the )?(?:call|chat|conversation)\b|\bhang(?:s|ing)? up\b|\bno (?:further|more|other|additional) (?:questions?|help|assistance|requests?|needs?|concerns?)\b|\bnothing else\b|\b(?:not|n't) (?:need|want|have) (?:anything|any)(?: \w+)? ?(?:else|further|more|help|questions?)\b|\bis (?:done|finished|all set|satisfied)\b/i,
  ],
  [
    'more',
    /\b(?:something|anything) (?:else|more|further)\b|\b(?:another|further|more|other|additional|follow-?up) (?:questions?|requests?|help|issues?|concerns?)\b/i,
  ],
  [
    'person',
    /\b(?:talk|speak|transfer\w*|connect\w*|reach|put through|pass\w*|escalat\w*|handed|wants?|asks? for|requests?|prefers?)\b.{0,24}\b(?:human|person|agent|representative|operator|manager|supervisor|staff|colleague|employee|advisor|someone|somebody|receptionist)\b|\b(?:human|live|real) (?:agent|person|being|operator)\b/i,
  ],
  [
    'anger',
    /\b(?:angry|anger|frustrat\w+|upset|annoyed|furious|rude|abusive|insult\w*|swears?|aggressive|complains?(?! about)|hostile|irritated)\b/i,
  ],
  [
    'unsure',
    /\b(?:unsure|not sure|uncertain|undecided|hesita\w+|indecisive|needs? (?:more |some )?time|think about it|does(?: not|n't) know(?! (?:the|their|his|her|how|what|which)))\b/i,
  ],
  [
    'agree',
    /^(?:is|are|was|feels?|would be) (?:interested|willing|ready|happy|glad|fine|ok(?:ay)?|satisfied)\b|\b(?:agree[sd]?|confirm(?:s|ed|ing)?|accept(?:s|ed)?|affirm\w*|consent(?:s|ed)?|approve[sd]?|says? (?:yes|ok(?:ay)?)|answers? yes|responds? (?:positively|with yes)|fine with|ok(?:ay)? with|wants? (?:to )?(?:it|that|this|proceed|continue|go (?:on|ahead))|proceeds?|goes ahead|positive(?:ly)?|yes|(?:is|are|was) (?:correct|right|true)|(?:got|has|found|received) what (?:they|he|she) (?:need|want)\w*|(?:question|concern|request) (?:of .{1,20} )?(?:is|was|has been) (?:answered|settled|resolved|handled))\b/i,
  ],
  [
    'refuse',
    /^no\b|\b(?:declin\w+|refus\w+|reject\w*|den(?:y|ies|ied)|disagree\w*|says? no|answers? no|responds? (?:negatively|with no)|negative(?:ly)?|uninterested|unwilling|not (?:interested|agree|confirm|accept|want|wish|willing|ready|happy|correct|right)|n't (?:agree|confirm|accept|want|wish)|wants? to stop|incorrect|wrong|no longer)\b/i,
  ],
  [
    'lacking',
    /\b(?:does(?: not|n't)|do(?: not|n't)|has(?: not|n't)|have(?: not|n't)|can(?:not|'t| not)|could ?n't) (?:have|know|find|remember|provid\w*|giv\w*|got|shar\w*)\b|\b(?:forgot|forgotten|without|lacks?|unable to (?:provide|find|give))\b|\bhas no\b/i,
  ],
  [
    'provided',
    /\b(?:provid\w+|gives?|gave|given|shar(?:es?|ed)|stat(?:es|ed)|tells?|told|suppl\w+|enter(?:s|ed)|(?:is|are|was|were) (?:known|there|complete)|(?:has|have|been|was|were|are|is|all) (?:collected|obtained|gathered|captured|received|mentioned|named|specified)|answer(?:s|ed)|describ\w+|explain(?:s|ed)|names?(?= (?:a|an|the|their|his|her|which|what|where)\b)|specif(?:y|ies|ied)|mentions? (?:their|a (?:date|time|name|number)))\b/i,
  ],
  [
    'question',
    /\b(?:asks?|has|have) (?:a |an |any |some |general )*(?:questions?|faq)\b|\basks? (?:for )?(?:clarification|something|why)\b/i,
  ],
  [
    'answered',
    /\b(?:answer(?:s|ed)|respond(?:s|ed)(?: to)?|repl(?:ies|ied)(?: to)?) (?:the|this|that|our|your)? ?questions?\b|^(?:has )?(?:answer(?:s|ed)|respond(?:s|ed)|repl(?:ies|ied))$/i,
  ],
]
const negation =
  /\b(?:no|not|none|nobody|no one|never|nothing|neither|without|cannot|declin\w+|refus\w+|reject\w*|den(?:y|ies)|disagree\w*|persist\w*|unresolved|unsolved|remains?|still (?:not|broken|down|exists?|there|has|have|needs?|open)|fail(?:s|ed)?|unavailable|unable|unhappy|unsuccessful\w*|incorrect|wrong|invalid|uninterested|unwilling)\b|n['’]t\b/i
/** "Not only" and "no longer than" deny nothing. */
const noNegation = /\b(?:not only|whether or not|no (?:later|more|less|longer) than|no problem)\b/gi

const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')

function quantityOf(text: string): Quantity | null {
  const plain = text
    .toLowerCase()
    .replace(new RegExp(`\\b(${numberWords.join('|')})\\b`, 'g'), (word) => String(numberWords.indexOf(word) + 1))
  const number = '[€$£]? ?(\\d{1,9}(?:\\.\\d+)?)'
  const between = new RegExp(`\\bbetween ${number} and ${number}|\\b(\\d{1,9}) ?(?:-|–|to) ?(\\d{1,9})\\b`).exec(plain)
  const over = new RegExp(
    `\\b(?:more than|over|above|greater than|exceeds?|older than|larger than|longer than|higher than|>) ${number}`,
  ).exec(plain)
  const under = new RegExp(
    `\\b(?:less than|fewer than|under|below|smaller than|younger than|lower than|shorter than|<) ${number}`,
  ).exec(plain)
  const atLeast = new RegExp(
    `\\b(?:at least|minimum(?: of)?) ${number}|${number}(?: \\w+){0,2} (?:or|and) (?:more|above|over|older|up)\\b`,
  ).exec(plain)
  const atMost = new RegExp(
    `\\b(?:at most|up to|maximum(?: of)?|no more than) ${number}|${number}(?: \\w+){0,2} (?:or|and) (?:fewer|less|under|below|younger)\\b`,
  ).exec(plain)
  const read = (found: RegExpExecArray | null): number | null => {
    const value = found?.slice(1).find((group) => group !== undefined)
    return value === undefined ? null : Number(value)
  }
  const topics = topicsOf(text).filter(({ term }) => !/\d/.test(term))
  if (between !== null) {
    const bounds = between
      .slice(1)
      .filter((group) => group !== undefined)
      .map(Number)
    return { least: bounds[0] ?? 0, most: bounds[1] ?? 0, topics }
  }
  const [above, below, least, most] = [read(over), read(under), read(atLeast), read(atMost)]
  if (least !== null || most !== null) return { least: least ?? -Infinity, most: most ?? Infinity, topics }
  if (above === null && below === null) return null
  return { least: above === null ? -Infinity : above + 1e-9, most: below === null ? Infinity : below - 1e-9, topics }
}

const providing =
  /\b(?:provid\w+|gives?|gave|given|shar(?:es?|ed)|stat(?:es|ed)|(?:tells?|told)(?: (?:us|you|me|the (?:agent|assistant)))?|suppl\w+|enter(?:s|ed)|nam(?:es|ed)|specif(?:y|ies|ied)|mention(?:s|ed)|answer(?:s|ed)|describ\w+|explain(?:s|ed))\s+(\S.{1,199})$/i
const passive =
  /^(.{2,200}?)\s(?:(?:is|are|was|were|has been|have been|have all been|were all|are all|are both)\s+)(?:\w+ )?(?:known|collected|obtained|gathered|captured|received|provided|given|complete|there|specified|told|said|stated|shared|mentioned|named)\b/i
/** "Has said the order number" names a value; "says the order is late" does not. */
const saying =
  /^(?:has |have )?(?:said|says?)\s+((?:(?:for|on|at|by|to|from|in) )?(?:which|what|when|how many)\b.{0,80}|(?:a|an|the|their|his|her)\s+(?:(?!(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|should|may|must|cannot|not|that|to|wants?|needs?|[a-z]+n't)\b)[\w-]+(?:[\s,]+|(?=[.]?$))){1,8})[.]?$/i

/** The values that a condition wants to be given, as it names them. */
function valuesOf(predicate: string, text: string): string | null {
  const given = passive.exec(text)?.[1]
  const thing = given === undefined || subject.exec(given)?.[0] === given ? undefined : given
  const named = saying.exec(predicate)?.[1] ?? providing.exec(predicate)?.[1] ?? thing
  return named === undefined ? null : trimEndMarks(named.trim(), '.!')
}

/** Reads a condition: pure, and whatever the text is. */
export function readCondition(source: string): Condition {
  const text = source.trim().slice(0, 1_000).replaceAll('’', "'")
  const found = subject.exec(text)?.[0] ?? ''
  const predicate = text.slice(found.length).trim()
  const plain = predicate.replace(noNegation, ' ')
  const kinds = new Set(signs.filter(([, sign]) => sign.test(plain)).map(([kind]) => kind))
  const negative = negation.test(plain) || /^(?:nobody|no one|none|no)\b/i.test(text)
  if (saying.test(predicate) || (/\bsaid\b/i.test(text) && passive.test(text))) kinds.add('provided')
  if (kinds.has('leave')) kinds.delete('refuse')
  if (kinds.has('refuse') || (negative && kinds.has('agree'))) kinds.delete('agree')
  if (kinds.has('lacking')) kinds.delete('provided')
  if (kinds.has('answered') || /^(?:wants?|would like|needs?|wishes|asks?) to\b/i.test(plain)) kinds.delete('provided')
  const quantity = quantityOf(text)
  if (quantity !== null) kinds.add('quantity')
  const topics = topicsOf(predicate)
  if (kinds.size === 0) kinds.add('topic')
  const shared =
    /^(?:wants?|would like|needs?|asks?|is|has|mentions?)\b(?: (?:to|about|for))?/i.exec(predicate)?.[0] ?? ''
  const alternatives = predicate
    .slice(shared.length)
    .split(/,\s*(?:or\s)?|\sor\s|\/|;/i)
    .map(topicsOf)
    .filter((part) => part.length > 0)
  return {
    text,
    kinds,
    negative,
    topics,
    opposed: topics.flatMap(({ meanings }) => meanings.flatMap((meaning) => oppositeOf(meaning) ?? [])),
    alternatives: alternatives.length > 1 ? [topics, ...alternatives] : [topics],
    parts: splitTrimmed(text, /\sand\s+(?=(?:is|are|was|were|has|have|wants?|asks?|says?|gives?|does|can)\b)/i).slice(
      0,
      4,
    ),
    quantity,
    aboutUser: found !== '',
    values: kinds.has('provided') ? valuesOf(predicate, text) : null,
  }
}
