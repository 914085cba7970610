import { asSentence, joinAsSpoken } from './split-sentences.ts'

const ours =
  /^(?:opening |business |office |store |shop )?(?:hours|times)$|^(?:address|location|phone|phone number|telephone|e-?mail|email address|website|services|products|prices|fax|menu|specialities|specialties|opening times)$/i
const weekday = /^(?:mon|tue|wed|thu|fri|sat|sun)/i

function isPlural(label: string): boolean {
  return /[^s]s$/i.test(label.trim()) && !/\b(?:address|bus|gas)$/i.test(label)
}

function lowerFirst(text: string): string {
  const second = text.charAt(1)
  return second !== '' && second === second.toUpperCase() && /\p{L}/u.test(second)
    ? text
    : text.charAt(0).toLowerCase() + text.slice(1)
}

/** Whether a value is a statement of its own, so that its label only says what it is about. */
export function standsAlone(value: string): boolean {
  return /^\p{Lu}/u.test(value) && (value.match(/(?<=\s)\p{Ll}{2,}/gu)?.length ?? 0) >= 2 && /[.!?]$/.test(value)
}

/** A "Label: value" line as a sentence that a person would say. */
export function phraseLabelled(label: string, value: string): string {
  const name = label.trim()
  const plain = value.trim()
  if (standsAlone(plain)) return plain
  const bare = plain.replace(/[.;,]$/, '')
  if (/^closed$/i.test(bare)) return `We are closed on ${name}.`
  if (ours.test(name) && !/\b(?:is|are)\b/.test(bare)) {
    return `Our ${lowerFirst(name)} ${isPlural(name) ? 'are' : 'is'} ${asSentence(bare).replace(/^./u, bare.charAt(0))}`
  }
  const words = name.split(/\s+/)
  const common =
    words.length <= 4 && words.slice(1).every((word) => !/^\p{Lu}/u.test(word)) && /^[A-Za-z -]+$/.test(name)
  if (common && !weekday.test(name) && /^[\d€$£]/.test(bare)) {
    return isPlural(name) ? asSentence(`${name} are ${bare}`) : asSentence(`The ${lowerFirst(name)} is ${bare}`)
  }
  const main = words[words.length - 1]?.toLowerCase() ?? ''
  if (main.length > 3 && bare.toLowerCase().includes(main)) return asSentence(bare)
  return asSentence(`${name}: ${bare}`)
}

/** A heading and its short items as one sentence: "Services: haircuts, colouring and shaves." */
export function phraseList(heading: string, items: readonly string[]): string {
  const bare = items.map((item) => item.trim().replace(/[.;,]$/, ''))
  const name = heading.trim().replace(/[:：]$/, '')
  return asSentence(`${name.charAt(0).toUpperCase()}${name.slice(1)}: ${joinAsSpoken(bare)}`)
}

/** Markdown and tag marks removed; links keep their words. */
export function withoutMarkup(text: string): string {
  return text
    .replace(/!?\[([^[\]]{0,300})\]\([^()]{0,500}\)/g, '$1')
    .replace(/(\*\*|__|`+|~~)/g, '')
    .replace(/(^|\s)[*_](\S[^*_]*)[*_](?=$|[\s.,;:!?])/g, '$1$2')
    .replace(/<\/?[a-z][^<>]{0,100}>/gi, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim()
}
