import { askField } from '../ask-field.ts'
import { splitTrimmed } from '../cut-text.ts'
import { fillArguments } from '../fill-arguments.ts'
import { isQuestion } from '../intents.ts'
import type { Exchange } from '../read-messages.ts'
import type { Field } from '../schema-fields.ts'
import { listedFields } from './listed-fields.ts'
import { asksWhether, stanceOf } from './stance.ts'
import { presence, topicsOf } from './topics.ts'

const concrete: ReadonlySet<string> = new Set([
  'email',
  'phone',
  'url',
  'date',
  'time',
  'date-time',
  'name',
  'first-name',
  'last-name',
  'reference',
  'address',
  'number',
])

/** How far what a condition lists has been given in the conversation, 0 to 1; above 0.8 the last message gave some of it. */
export function fitOfGiven(phrase: string, exchanges: readonly Exchange[]): number {
  const current = exchanges.at(-1)
  if (current === undefined) return 0
  const alternatives = splitTrimmed(phrase, /\sor\s/i).slice(0, 5)
  return Math.max(0, ...alternatives.map((alternative) => fitOfList(alternative, exchanges, current)))
}

function fitOfList(phrase: string, exchanges: readonly Exchange[], current: Exchange): number {
  const fields = listedFields(phrase)
  if (fields.length === 0) return answersInWords(phrase, current) ? 0.6 : 0
  const { missing } = fillArguments(fields, exchanges, 0, null)
  const open = missing.filter((field) => !(isInWords(field) && answersInWords(field.label, current)))
  if (open.length > 0) return 0
  const firm = fields.some((field) => concrete.has(field.kind))
  const before = fillArguments(fields, exchanges.slice(0, -1), 0, null)
  const news = before.missing.length > 0
  if (!firm) return news || answersInWords(phrase, current) ? 0.6 : 0.4
  return news ? 0.9 : 0.55
}

function isInWords({ kind }: Field): boolean {
  return kind === 'own-words' || kind === 'text' || kind === 'place' || kind === 'list'
}

/** Whether the message answers the agent's open question about this in words of its own. */
export function answersInWords(about: string, { asked, said }: Exchange): boolean {
  if (!/\?/.test(asked.slice(-200)) || isQuestion(said)) return false
  const question = topicsOf(asked)
  const topics = topicsOf(about)
  if (topics.length > 0 && !topics.some((topic) => presence(topic, question) >= 0.8)) return false
  const { polarity, plain, unsure } = stanceOf(said)
  return !unsure && !(plain && polarity !== null) && !asksWhether(asked) && topicsOf(said).length > 0
}

/** The question for the first of the values that are not known yet; `null` when all are. */
export function askListed(phrase: string, exchanges: readonly Exchange[], today: string | null): string | null {
  const fields = listedFields(phrase)
  const open = fillArguments(fields, exchanges, 0, today).missing[0]
  return open === undefined ? null : askField(open)
}
