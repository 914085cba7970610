import { asSentence } from './split-sentences.ts'

const imperatives =
  `always never do don't dont don’t answer ask be keep use avoid make ensure speak respond reply greet offer refer try stay remember
confirm collect tell say inform explain help assist provide give please only let start begin end transfer verify repeat wait
thank apologise apologize introduce follow treat limit act pretend think consider under pay sound talk mention refuse decline
redirect reveal disclose share assume gather obtain find determine check listen focus maintain adopt write summarise summarize
acknowledge mirror encourage guide handle escalate politely briefly first then finally next once before after stick remain
identify schedule resolve record save store look pronounce spell prefer present state note don´t as clarify empathise
empathize close hang direct route classify extract return output format call conclude proceed continue suggest recommend
demonstrate rephrase paraphrase reassure discuss upsell notify address calm qualify persuade steer read invite match never-ever ignore disregard forget convince advise wish
sie du vous antworte antworten sei frage nenne begrüße répondez réponds soyez eres responde sé`
    .split(/\s+/)
    .filter((word) => word !== '')
const imperativeWords: ReadonlySet<string> = new Set(imperatives)

/** Sentences that begin like an imperative although they inform a customer. */
const customerFact =
  /^(?:call (?:us|me|our|\+?\d)|please (?:bring|arrive|call|come|note|park|visit|ring|use|contact|book|order|allow|wear)|once (?:we|a|an|the|your)\b|(?:before|after|as|first|next|only|under|then|once|finally) (?!(?:you|the (?:user|customer|caller|patient|guest|conversation|greeting)|a tool|an? assistant)\b)|check[- ](?:in|out)\b|help (?:is|desk)|pay (?:by|with|at|in|online)|return(?:s|ing)\b|return (?:the|your) |look for|schedule (?:is|:)|offers?\b(?= (?:are|is|end))|address(?:es)? (?:is|are)\b|record(?:s|ing)? (?:is|are)\b|please reach)/i

const youMayAsCustomer =
  /^you (?:can|may) (?:also )?(?:pay|find|rent|book|cancel|return|bring|order|park|pick|collect|get|reach|reserve|come|visit|buy|change|drop|request|reschedule|use the|use our|contact|call|email|park|leave|borrow|try|store|enter|download|register|sign)\b/i
const youCustomer =
  /^you (?:pay|get|receive|save|earn|need|must|have to|will need|will get|will receive)\b(?! to (?:answer|ask|keep|collect|help))/i
const aboutTheAgent =
  /\b(?:system prompt|this prompt|these instructions|your (?:instructions|goal|job|task|role|tone|style|answers?|replies|responses?|persona|personality|name is|purpose|objective|duty)|the (?:agent|assistant|bot|chatbot|model) (?:should|must|may|can|will|shall)|the (?:user|caller)(?:'s)?|end the (?:call|chat|conversation)|this (?:call|chat|conversation)|emojis?|one question at a time|tool call|call the tool)\b/i
const toolName = /(?:^|[\s`"'(])[a-z]+(?:_[a-z0-9]+)+(?:$|[\s`"').,;:])|\{\{|\}\}/
const forbidding = /^(?:no|not|without) (?:emojis?|markdown|lists?|bullet)/i
/** "Hand over to billing for …": whom to turn to is the agent's business, unless it is "us". */
const handing =
  /^(?:hand|pass|forward|switch|connect|put|send|move|turn|swap|bridge)\b(?:\s+(?:over|back|on|through))?(?:\s+(?:it|them|him|her|[a-z]+s|(?:the|all|any|every|a|an)\s+[\w-]+(?:\s+(?!to\b|with\b)[\w-]+){0,3}))?(?:\s+(?:over|back|on|through))?\s+(?:to|with|into)\b(?!.*\b(?:us|our|your|me)\b)(?!.*@)/i
const conditional = /^(?:if|when|whenever|should|in case|once|unless|as soon as)\b/i

/** Whether a condition speaks of the one the agent talks to, which makes its sentence an instruction. */
const conditionOnUser =
  /^(?:if|when|whenever|should|in case|once|unless|as soon as)\s+(?:asked|you(?:'re| are)? (?:do not|don't|cannot|can't|asked|unsure|not sure|are)|(?:the|a|an|any) (?:user|customer|caller|patient|guest|client|person|visitor|lead)\b|someone|somebody|anyone|they|he|she|it is clear|in doubt|unsure|possible|necessary|needed|appropriate|all|everything|done|finished)/i

/** Whether a sentence tells the agent what to do, rather than a customer what is so. */
export function isInstruction(sentence: string): boolean {
  const text = sentence.replace(/^[\s"'“”‘*_#>(-]+/, '')
  if ((/[_{}]/.test(text) && toolName.test(text)) || aboutTheAgent.test(text) || forbidding.test(text)) return true
  if (youMayAsCustomer.test(text) || youCustomer.test(text)) return false
  if (/^you(?:r name|'re|’re|'ll)?\b/i.test(text))
    return !/^your (?!name)/i.test(text) || /^your (?:goal|job|task|role|tone)/i.test(text)
  if (conditional.test(text)) {
    const comma = text.indexOf(',')
    if (comma < 0) return conditionOnUser.test(text)
    const main = text
      .slice(comma + 1)
      .trim()
      .replace(/^then /i, '')
    return (
      isInstruction(main) ||
      (conditionOnUser.test(text) && !/\b(?:is|are|costs?|we|applies|apply|can|may|must|pays?|gets?)\b/i.test(main))
    )
  }
  if (handing.test(text)) return true
  if (customerFact.test(text)) return false
  const first = /^[\p{L}’'´-]+/u.exec(text)?.[0].toLowerCase() ?? ''
  if (!imperativeWords.has(first)) return false
  // "Delivery …" is no imperative, but "Return policy: …", "Address: …" and "Help desk" are labels.
  return !/^\p{L}+(?: \p{L}+)?:\s/u.test(text) || /^(?:always|never|do|please|answer|ask|say|greet|tell)\b/i.test(text)
}

const sayRule =
  /^(?:if|when|whenever|should)\s+(\S.{2,159}?),\s*(?:then\s+)?(?:please\s+)?(?:you (?:can|should|may|must)\s+)?(?:politely\s+|kindly\s+|briefly\s+)?(say|tell (?:them|him|her|the \w+)|answer|reply|respond|explain|mention|inform (?:them|the \w+)|let (?:them|the \w+) know)\b(?:\s+with)?[\s:]*(that\s+)?([^\s:].{2,399})$/is
const askedAbout =
  /^(?:if|when|whenever)\s+(?:you(?:'re| are) asked|asked|(?:the |a |an )?(?:user|customer|caller|patient|guest|someone|somebody|anyone|people|they)s?\s+asks?)\s+(?:(?:about|for|whether|if|how|what|where|when)\s*)?(\S.{1,119}?),\s*(\S.{2,399})$/is

/** A rule of the form "If asked about X, say that Y", read as a question and its answer. */
export function readAnswerRule(sentence: string): { readonly question: string; readonly answer: string } | null {
  const say = sayRule.exec(sentence)
  if (say) {
    const quoted = /^["“”‘'„](.+?)["“”’']\.?$/s.exec((say[4] ?? '').trim())
    const plain = (say[4] ?? '').trim()
    const statement = quoted?.[1] ?? (say[3] !== undefined ? plain : null)
    if (statement === null || toolName.test(statement)) return null
    return { question: stripAsking(say[1] ?? ''), answer: asSentence(addressCustomer(statement)) }
  }
  const asked = askedAbout.exec(sentence)
  const answer = asked?.[2]?.trim() ?? ''
  if (!asked || isInstruction(answer) || !/\s/.test(answer)) return null
  return { question: asked[1] ?? '', answer: asSentence(answer) }
}

function stripAsking(condition: string): string {
  return condition.replace(
    /\b(?:you(?:'re| are)|asked?s?|asks|asking|about|whether|the|user|customer|caller|patient|guest|someone|wants?|to know)\b/gi,
    ' ',
  )
}

/** Turns what is said about the customer into what is said to them: "their booking" becomes "your booking". */
export function addressCustomer(text: string): string {
  return text
    .replace(/\b(?:the )?(?:user|customer|caller|patient|guest|client)(?:'s|’s)\b/gi, 'your')
    .replace(/\bthe (?:user|customer|caller|patient|guest|client) (?:is|was|has)\b/gi, (found) =>
      /has$/i.test(found) ? 'you have' : /was$/i.test(found) ? 'you were' : 'you are',
    )
    .replace(/\bthe (?:user|customer|caller|patient|guest|client)\b/gi, 'you')
    .replace(/\btheir\b/gi, 'your')
    .replace(/\bthemselves\b/gi, 'yourself')
    .replace(/\b(?:they|them)\b/gi, 'you')
}
