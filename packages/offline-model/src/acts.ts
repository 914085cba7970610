import { type Field, fieldOfWords } from '@parley/engine/dialogue/rules/fields'
import { asSentence, splitSentences, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { phrasesOf } from './phrases.ts'

/** Something that an order wants said. */
export type Act =
  | { readonly type: 'greet'; readonly name: string }
  | { readonly type: 'say'; readonly text: string }
  /** A value to ask for. */
  | { readonly type: 'ask'; readonly field: Field }
  /** A question that is answered with yes or no. */
  | { readonly type: 'confirm'; readonly question: string }
  /** The values that were told are repeated. */
  | { readonly type: 'repeat' }
  | { readonly type: 'help' }
  | { readonly type: 'thank' }
  | { readonly type: 'apologize' }
  | { readonly type: 'goodbye' }

const NEXT_VERB =
  /[,;]?\s(?:and then|and|then|und dann|und|dann)\s(?=(?:ask(?! again)|say|tell|repeat|thank|greet|find out|take|offer|apologi[sz]e|collect|frag\w*|sag\w*|wiederhol\w*|biet\w*|nimm|bedank\w*|verabschied\w*)(?!\p{L}))|:\s(?=(?:tell|say|sag|ask|frag)\b)|,\s(?=(?:frage?|sag|ask|say|tell) )/iu
const ASKING =
  /^(?:(?:first|then|also|please|dann|zuerst)\s)?(?:ask|find out|finde? heraus|collect|gather|get|note down|request|frage?|erfrage|notiere|take (?:a|the|down a) (?:short )?message|nimm .{0,30}nachricht auf|take down)(?!\p{L})[,:]?\s?(.*)$/iu
const NO_QUESTION = /\b(?:one question|nur eine frage|again for|questions? at a time|follow-?up|nothing)\b/i
const OBJECT_LEAD =
  /^(?:(?:the |your |each )?(?:callers?|users?|customers?|clients?|guests?|them|him|her|anrufer|kunden)\s)?(?:for|about|with|nach|mit)?[:,]?\s?/i
const WH =
  /^(?:for |on |at |under |in |bei |für |unter |an )?(?:what|which|who|whom|whose|when|where|why|how|was|welche[rsnm]?|wer|wen|wann|wo|warum|wie|wofür|worum)(?!\p{L})/iu
const WH_SPLIT =
  /,?\s(?:and|und)\s(?=(?:(?:for|on|at|under|für|unter) )?(?:what|which|who|how|when|where|why|was|welche[rsnm]?|wann|wie|warum)(?!\p{L}))|,\s(?=(?:what|which|how|when|where|für|wann|wie|welche)(?!\p{L}))/iu
const ITEM_SPLIT =
  /,\s(?:and |then |und |dann )?(?:then )?(?:for |about |nach )?|\s(?:and|und|sowie)\s(?:for |about |nach )?/i

/** What an order wants said, in order; nothing for those about manners. */
export function actsOf(order: string): Act[] {
  const text = trimEndMarks(order.slice(0, 1_000).replaceAll('’', "'"), '.!').replace(/^for [^,]{1,60}, (?=take )/i, '')
  const conditional = /^(?:if|when|ist|wenn|falls|once)\b[^,]{0,120},?.{0,80}?\b(?=ask for|frage? nach)/i.exec(text)
  return (conditional === null ? text : text.slice(conditional[0].length))
    .split(NEXT_VERB)
    .flatMap((clause) => actsOfClause(clause.trim()))
}

function actsOfClause(clause: string): Act[] {
  const greeting =
    /^(?:greet|welcome|begrüße)(?: (?:the|de[nr]) (?:caller|user|customer|client|guest|anrufer|kunden))?(?: for .*)?(?: (\p{Lu}[\p{L}'-]+)$)?/iu.exec(
      clause,
    )
  if (greeting !== null) return [{ type: 'greet', name: greeting[1] ?? '' }]
  if (/^(?:thank|bedanke?)\b/i.test(clause)) return [{ type: 'thank' }]
  if (/^(?:apologi[sz]e|say (?:that you are )?sorry|entschuldige)\b/i.test(clause)) return [{ type: 'apologize' }]
  if (/^(?:say goodbye|verabschiede|wish .{0,40}\b(?:day|evening))\b/i.test(clause)) return [{ type: 'goodbye' }]
  const stated =
    /^(?:say|tell (?:the (?:user|caller|customer|client|guest)|them|him|her|\p{Lu}\p{L}+)) (?:that )(.+)$/iu.exec(
      clause,
    )?.[1]
  if (stated !== undefined) return [{ type: 'say', text: asSentence(toCaller(stated)) }]
  const german = /^sage?(?: \p{L}+ \p{L}+)?, (dass .+)$/iu.exec(clause)?.[1]
  if (german !== undefined) return [{ type: 'say', text: asSentence(`Bitte beachten Sie, ${german}`) }]
  const literal = /^(?:repeat|say|wiederhole)[^:]{0,60}: (.+)$/i.exec(clause)?.[1]
  if (literal !== undefined) return [{ type: 'say', text: asSentence(literal.replace(/^["“]|["”]$/g, '')) }]
  if (/^(?:repeat|confirm|wiederhole|bestätige)\b(?!.{0,30}(?:in your own words|digit|mit eigenen))/i.test(clause))
    return [{ type: 'repeat' }]
  const object = ASKING.exec(clause)?.[1]
  if (object === undefined || NO_QUESTION.test(clause)) return []
  return actsOfQuestion(object.replace(OBJECT_LEAD, '').trim())
}

function actsOfQuestion(object: string): Act[] {
  if (object === '') return []
  if (
    /^how you (?:can|may) help|^wie du helfen/i.test(object) ||
    /^(?:what|was) (?:the \w+|they|der \w+) (?:wants?|needs?|möchte|braucht)$/i.test(object)
  )
    return [{ type: 'help' }]
  const whether = /^(?:whether|if|ob) (.+)$/i.exec(object)?.[1]
  if (whether !== undefined) {
    const [first = '', ...rest] = whether.split(WH_SPLIT)
    const asked: Act = { type: 'confirm', question: questionWhether(first) }
    return [asked, ...rest.map((item): Act => ({ type: 'ask', field: fieldOfWords(item) }))]
  }
  const items = WH.test(object)
    ? object.split(WH_SPLIT)
    : object
        .replace(/^(?:eine[nrm]?|die|das|den|the|an?) (?:short )?(?:message|nachricht)[:,]? (?:with |mit )?/i, '')
        .split(ITEM_SPLIT)
  const fields = items
    .map((item) => fieldOfWords(item.trim()))
    .filter(({ label }) => label !== '' && !/^(?:repeat|missing|so|it)\b/i.test(label))
  return joinDayAndTime(fields).map((field): Act => ({ type: 'ask', field }))
}

function joinDayAndTime(fields: readonly Field[]): Field[] {
  return fields.flatMap((field, at) => {
    const next = fields[at + 1]
    if (field.kind === 'date' && next?.kind === 'time')
      return [{ ...fieldOfWords('which day and time would suit you'), kind: 'date-time' as const }]
    return field.kind === 'time' && fields[at - 1]?.kind === 'date' ? [] : [field]
  })
}

/** What is said about the caller, as it is said to the caller. */
function toCaller(text: string): string {
  return text
    .replace(/\b(?:the|a) (?:caller|user|customer|client|guest|patient)'s\b|\btheir\b/gi, 'your')
    .replace(
      /\b(?:the (?:caller|user|customer|client|guest|patient)|they|them)\b( (?:is|has|wants|needs|was)\b)?/gi,
      (_found, verb?: string) => {
        const plural: Readonly<Record<string, string>> = {
          is: 'are',
          has: 'have',
          wants: 'want',
          needs: 'need',
          was: 'were',
        }
        return verb === undefined ? 'you' : `you ${plural[verb.trim()] ?? verb.trim()}`
      },
    )
}

function questionWhether(clause: string): string {
  const text = toCaller(clause)
  const [, subject = '', verb = '', rest = ''] = /^(.{1,60}?) (is|are|was|can|would|will|have) (.+)$/i.exec(text) ?? []
  const wish = /^you (?:want|would like)( to)? ?(.*)$/i.exec(text)
  if (wish !== null) return `Would you like${wish[1] ?? ''} ${wish[2] ?? ''}?`.replace(' ?', '?')
  if (/^to /i.test(text)) return `Shall I ${text.slice(3)}?`
  if (subject !== '' && !/^(?:ob|dass)\b/.test(subject))
    return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${subject === 'it' ? 'that' : subject} ${rest}?`
  if (/stimmt|richtig|korrekt/i.test(text)) return 'Stimmt das so?'
  return /^(?:you|we)\b/i.test(text) ? `May I ask whether ${text}?` : phrasesOf('en').isCorrect
}

/** How a value is asked for. `isOwn`: the field's words are in the language that is spoken. */
export function questionFor(field: Field, language: string, isOwn: boolean): string {
  return language === 'de' ? germanQuestion(field, isOwn) : englishQuestion(field)
}

function englishQuestion({ kind, label, choices, description }: Field): string {
  const own = toCaller(label)
  if (kind === 'name')
    return /first|last|family/.test(own)
      ? `What is your ${own}?`
      : `May I have your ${/full/.test(own) ? 'full ' : ''}name, please?`
  if (kind === 'phone') return 'What is your phone number?'
  if (kind === 'email') return 'What is your email address?'
  if (/call.{0,8} back|callback/.test(own) && kind === 'date-time') return 'When is a good time to call you back?'
  if (kind === 'date-time') return 'Which day and time would suit you?'
  const count = kind === 'number' ? /^(?:number of|quantity of) (.+)$/i.exec(own)?.[1] : undefined
  if (count !== undefined) return `How many ${count}?`
  if (choices.length > 1 && choices.length <= 8)
    return `${asSentence(`Which ${own} would you like`).slice(0, -1)}: ${choices.slice(0, -1).join(', ')} or ${String(choices.at(-1))}?`
  const object = /^(what|which) (the \p{L}+|it) (is|are) (.{2,40})$/iu.exec(own)
  if (object !== null) return `${asSentence(`${object[1]} ${object[3]} ${object[2]} ${object[4]}`).slice(0, -1)}?`
  if (/^(?:what|which (?:\p{L}+ ){1,5}|who) ?(?:is|are|was|would|suits?|happened|went)\b/iu.test(own))
    return `${asSentence(own).slice(0, -1)}?`
  if (/^(?:reason|why|request|matter|message)$/i.test(own)) return 'What is it about?'
  if (kind === 'date' && !/birth/.test(own)) return 'Which day would you like?'
  if (kind === 'time' && own.split(' ').length <= 2) return 'What time would suit you?'
  if (/^how many$/i.test(own)) return 'How many would you like?'
  if (kind === 'boolean')
    return `${asSentence(/^whether /i.test(description) ? questionWhether(description.slice(8)) : `Would you like ${own}?`)}`
  if (WH.test(own)) return `Could you tell me ${own}?`
  return `What is the ${own.replace(/^(?:the|your) /, '')}?`
}

function germanQuestion({ kind, label, choices }: Field, isOwn: boolean): string {
  switch (kind) {
    case 'name':
      return 'Wie ist Ihr Name?'
    case 'phone':
      return 'Wie lautet Ihre Telefonnummer?'
    case 'email':
      return 'Wie lautet Ihre E-Mail-Adresse?'
    case 'date-time':
      return /rückruf|zurück|back/i.test(label)
        ? 'Wann können wir Sie gut zurückrufen?'
        : 'Welcher Tag und welche Uhrzeit passen Ihnen?'
    case 'date':
      return 'Welcher Tag passt Ihnen?'
    case 'time':
      return 'Welche Uhrzeit passt Ihnen?'
    default: {
      const [, word = '', subject = '', verb = ''] =
        /^(wofür|worum|was|wie) (der \p{L}+|die \p{L}+|das \p{L}+|es) (ist|geht|soll)$/iu.exec(label) ?? []
      if (word !== '') return `${asSentence(`${word} ${verb} ${subject}`).slice(0, -1)}?`
      if (/^was nicht funktioniert/i.test(label)) return 'Was funktioniert nicht?'
      if (choices.length > 1 && choices.length <= 8)
        return `Was davon: ${choices.slice(0, -1).join(', ')} oder ${String(choices.at(-1))}?`
      if (isOwn && WH.test(label) && label.includes(' ')) return `Können Sie mir sagen, ${label}?`
      return kind === 'words' || !isOwn ? 'Worum geht es?' : `Können Sie mir sagen: ${label}?`
    }
  }
}

/** All acts of some orders. */
export function actsOfAll(orders: readonly string[]): Act[] {
  return orders.flatMap((order) => splitSentences(order).flatMap(actsOf))
}
