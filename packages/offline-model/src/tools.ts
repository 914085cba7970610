import { type Field, readFields, wordsOfName } from '@parley/engine/dialogue/rules/fields'
import { fillFields, toArguments } from '@parley/engine/dialogue/rules/fill-fields'
import { intentsOf, isQuestion, polarityOf } from '@parley/engine/dialogue/rules/intents'
import {
  asSentence,
  joinAsSpoken,
  shorten,
  splitSentences,
  trimEndMarks,
} from '@parley/engine/dialogue/rules/sentences'
import { EXECUTION_LINE } from '@parley/engine/dialogue/tools/offered-tools'
import type { JsonObject, JsonValue, ModelTool } from '@parley/engine/ports'
import { questionFor } from './acts.ts'
import type { Conversation, MadeCall } from './conversation.ts'
import { type EdgeScene, fitOf, MIN_FIT, overlap } from './edges.ts'
import { phrasesOf } from './phrases.ts'
import { isFailedResult, sayValue } from './results.ts'
import { languageOf, topicWords, WordSet } from './words.ts'

export type Role = 'end' | 'transition' | 'swap' | 'collect' | 'action'

/** A tool, read. */
export interface ReadTool {
  readonly tool: ModelTool
  readonly role: Role
  readonly fields: readonly Field[]
}

/** What the model answers: a text, tool calls, or both. */
export interface Decision {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
}

export interface ToolScene extends EdgeScene {
  readonly tools: readonly ReadTool[]
  readonly language: string
  /** How well the facts of prompt and documents answer what was said, 0 to 1. */
  readonly factCoverage: number
  /** Whether the user takes leave. */
  readonly isLeaving: boolean
  readonly farewell: string
}

const MIN_ACTION_FIT = 0.6
const MAX_DESCRIPTION = 2_000
const END =
  /^(?:end|hang|bye|finish|goodbye)|\b(?:ends?|hangs? up|finish(?:es)?|closes?|terminates?)\b.{0,30}\b(?:call|chat|conversation)\b|\bhangs? up\b|beendet/i
const SWAP =
  /\b(?:transfers?|hands? (?:over|off|back)|connects? (?:to|the (?:caller|user|customer))|escalates?|forwards?|puts? through)\b|^(?:transfer|hand_?over|escalate|swap)/i
const COLLECT = /\b(?:stores?|notes?|saves?|remembers?|records?|extracts?|collects?)\b/i
const WHEN =
  /(?:^|[\s,])(?:when(?:ever)?|if|once|as soon as|for (?:questions|requests|calls) about|wenn|falls)\s(.{3,300}?)(?:[.;]|$)/i
const AGREEMENT = /\bneeds? the agreement of the user\b|\bagreement\b.{0,40}\brequired\b/i
const FLOW_AGREEMENT = /Before the tool (\S{1,100}) runs, the user has to agree/

export function readTool(tool: ModelTool): ReadTool {
  const description = tool.description.slice(0, MAX_DESCRIPTION)
  const fields = readFields(tool.parameters).filter(({ path }) => path[0] !== EXECUTION_LINE)
  const isFree = !fields.some(({ required }) => required)
  const names = `${tool.name} ${wordsOfName(tool.name)}`
  const role: Role = tool.name.startsWith('transition_to_')
    ? 'transition'
    : isFree && (END.test(tool.name) || END.test(description)) && !SWAP.test(description)
      ? 'end'
      : isFree && (SWAP.test(tool.name) || SWAP.test(description))
        ? 'swap'
        : COLLECT.test(description) &&
            /extract|store|note|save|remember|collect|record/i.test(names) &&
            fields.length > 0
          ? 'collect'
          : 'action'
  return { tool, role, fields }
}

function call({ tool }: ReadTool, args: JsonObject, text = ''): Decision {
  const { properties } = tool.parameters
  const words = typeof properties === 'object' && properties !== null && EXECUTION_LINE in properties
  return {
    text,
    calls: [{ name: tool.name, args: words ? { ...args, [EXECUTION_LINE]: 'One moment, please.' } : args }],
  }
}

export function say(text: string): Decision {
  return { text, calls: [] }
}

/** Whether a call was made in this turn already and did not fail. */
function isDone({ calls, callsBefore }: Conversation, { tool }: ReadTool): boolean {
  return calls
    .slice(callsBefore)
    .some(
      ({ name, result }) =>
        name === tool.name && !AGREEMENT.test(result ?? '') && !(result !== null && isFailedResult(result)),
    )
}

/** The newest call that was not carried out, since the user has to agree first. */
function awaitingCall({ calls }: Conversation): MadeCall | null {
  const last = calls.at(-1)
  return last !== undefined && AGREEMENT.test((last.result ?? '').slice(0, 600)) ? last : null
}

/** Decides for a tool, or for words about one; `null` leaves the answer to words. */
export function decideTool(scene: ToolScene): Decision | null {
  const { conversation } = scene
  const agreement = decideAgreement(scene) ?? askMissing(scene)
  if (agreement !== null || conversation.current === null) return agreement
  const told = conversation.hasFreshResults && !scene.tools.some(({ role }) => role === 'transition')
  if (
    told &&
    conversation.calls
      .slice(conversation.callsBefore)
      .some(({ name }) => scene.tools.some(({ tool, role }) => tool.name === name && role === 'action'))
  )
    return null
  return (
    decideTransition(scene) ??
    decideEnd(scene) ??
    decideSwap(scene) ??
    continueTool(scene) ??
    decideCollect(scene) ??
    decideAction(scene)
  )
}

function decideAgreement({ conversation, tools, language }: ToolScene): Decision | null {
  const awaiting = awaitingCall(conversation)
  const inFlow = FLOW_AGREEMENT.exec(conversation.prompts.at(-1) ?? '')?.[1]
  const asked =
    awaiting ??
    (inFlow === undefined
      ? null
      : (conversation.calls.findLast(({ name }) => name === inFlow) ?? {
          id: '',
          name: inFlow,
          args: {},
          result: null,
        }))
  if (asked === null) return null
  const question = language === 'de' ? 'Ist das in Ordnung?' : 'Is that all right?'
  const tool = tools.find((one) => one.tool.name === asked.name)
  const { current } = conversation
  if (!conversation.hasFreshResults && current?.asked.endsWith(question) === true) {
    const polarity = polarityOf(current.said)
    if (polarity === 'no') return say(`${phrasesOf(language).cancelled} ${phrasesOf(language).anythingElse}`)
    if (polarity === 'yes' && tool !== undefined && !/\b(?:but|except|instead)\b|\?/i.test(current.said))
      return call(tool, asked.args)
    if (inFlow === undefined) return null
  }
  if (!conversation.hasFreshResults && inFlow === undefined) return null
  return say(`I would now ${purposeOf(asked.name, tool?.tool.description ?? '')}${detailsOf(asked.args)}. ${question}`)
}

/** What a tool does, as words after "I would now". */
function purposeOf(name: string, description: string): string {
  const [verb = '', ...object] = wordsOfName(name).split(/\s+/)
  const first = trimEndMarks(
    (splitSentences(description.slice(0, 600))[0] ?? '').split(/\s(?:when|if|whenever)\s/)[0] ?? '',
    '.!',
  )
  if (new RegExp(`^${verb}s?\\s`, 'i').test(first) && verb.length > 2)
    return `${verb} ${first.slice(first.indexOf(' ') + 1)}`
  return object.length === 0 ? `use "${verb}"` : `${verb} the ${object.join(' ')}`
}

function detailsOf(args: JsonObject): string {
  const told = Object.entries(args).flatMap(([name, value]) =>
    value === undefined || value === null || typeof value === 'object' || name === EXECUTION_LINE
      ? []
      : [`${wordsOfName(name)}: ${sayValue(value)}`],
  )
  return told.length === 0 ? '' : ` (${shorten(joinAsSpoken(told.slice(0, 8)), 400)})`
}

/** Asks for a value that a result names as missing. */
function askMissing({ conversation, tools, language }: ToolScene): Decision | null {
  const last = conversation.calls.at(-1)
  if (!conversation.hasFreshResults || last === undefined) return null
  const names = /\bstill missing: ([^;.]{1,500})/i.exec((last.result ?? '').slice(0, 4_000))?.[1]?.split(/,\s*/) ?? []
  const field = tools
    .find(({ tool }) => tool.name === last.name)
    ?.fields.find(({ path }) => names.includes(path.join('.')))
  return field === undefined ? null : say(questionFor(field, language, true))
}

function decideTransition(scene: ToolScene): Decision | null {
  const open = scene.tools.filter((one) => one.role === 'transition' && !isDone(scene.conversation, one))
  const rated = open
    .map((tool) => ({ tool, fit: fitOf(tool.tool.description, scene) }))
    .sort((left, right) => right.fit - left.fit)
  const best = rated[0]
  if (
    best === undefined ||
    best.fit <
      Math.max(MIN_FIT, scene.factCoverage > 0.9 && isQuestion(scene.conversation.current?.said ?? '') ? 0.9 : 0)
  )
    return null
  return call(best.tool, fill(best.tool, scene, 0).args)
}

function decideEnd({ tools, isLeaving, farewell, conversation }: ToolScene): Decision | null {
  const end = tools.find(({ role }) => role === 'end')
  return end === undefined || !isLeaving || isDone(conversation, end) ? null : call(end, {}, farewell)
}

/** Whom the conversation is handed to: by what the tool is for, or by the wish to speak with a person. */
function decideSwap(scene: ToolScene): Decision | null {
  const { conversation, tools } = scene
  // Who has just taken over does not hand on what they were given.
  if (conversation.isHandedOver || conversation.current === null) return null
  const isForPerson = intentsOf(conversation.current.said).has('person')
  const open = tools.filter((tool) => tool.role === 'swap' && !isDone(conversation, tool))
  const rated = open.map((tool) => ({
    tool,
    fit: Math.max(
      isForPerson && open.length === 1
        ? 0.7
        : isForPerson && /person|human|staff|colleague/i.test(tool.tool.description)
          ? 1
          : 0,
      fitOfTool(tool, scene),
    ),
  }))
  const best = rated.sort((left, right) => right.fit - left.fit)[0]
  return best === undefined || best.fit < MIN_ACTION_FIT ? null : call(best.tool, {})
}

interface Filled {
  readonly args: JsonObject
  readonly missing: readonly Field[]
  readonly count: number
}

function fill({ fields }: ReadTool, { conversation, today }: EdgeScene, since: number, takesOwnWords = false): Filled {
  const questions = (field: Field): string[] => ['en', 'de'].map((language) => questionFor(field, language, true))
  const askedField = (asked: string): Field | undefined =>
    fields.find((field) => questions(field).some((question) => asked.endsWith(question)))
  const { values, missing } = fillFields(fields, conversation.exchanges, { today, since, askedField, takesOwnWords })
  const constants = fields
    .filter((field) => field.choices.length === 1 && field.required && !values.has(field))
    .map((field): [Field, JsonValue] => [field, field.choices[0] ?? null])
  return {
    args: toArguments(new Map([...values, ...constants])),
    missing: missing.filter((field) => !constants.some(([one]) => one === field)),
    count: values.size,
  }
}

/** How well a tool fits what was said: by its condition, its name, its description and its choices. */
function fitOfTool({ tool, fields }: ReadTool, scene: EdgeScene): number {
  const said = scene.conversation.current?.said ?? ''
  const description = tool.description.slice(0, MAX_DESCRIPTION)
  const when = WHEN.exec(description)?.[1]
  // "When the user asks for them" says what only with the words before it.
  const condition = when !== undefined && /\b(?:them|it|this|that|so)$/i.test(when) ? undefined : when
  const byCondition = condition === undefined ? 0 : fitOf(condition, scene)
  const name = wordsOfName(tool.name)
  const object = name.split(/\s+/).slice(1).join(' ')
  const byName = Math.max(overlap(name, said), object === '' ? 0 : overlap(object, said) * 0.9)
  const all = new WordSet(
    topicWords(
      `${name} ${description} ${fields.map(({ label, choices }) => `${label} ${choices.join(' ')}`).join(' ')}`,
      'en',
    ).slice(0, 200),
  )
  const words = topicWords(said.slice(0, 600), languageOf(said) ?? 'en').filter(
    ({ weight, text }) => weight === 1 && !/\d/.test(text),
  )
  const bySaid = words.length === 0 ? 0 : words.reduce((sum, word) => sum + all.shareOf(word), 0) / words.length
  // The author says when: other likeness is no reason to call it.
  if (condition !== undefined) return Math.max(byCondition, Math.min(bySaid * 0.75, MIN_ACTION_FIT - 0.05))
  return byName >= 0.5 ? byName * 0.6 + bySaid * 0.4 : bySaid * 0.75
}

/** Goes on with a tool whose value was asked for last. */
function continueTool(scene: ToolScene): Decision | null {
  const { conversation, tools, language } = scene
  const asked = conversation.current?.asked ?? ''
  const said = conversation.current?.said ?? ''
  for (const tool of tools) {
    const field = tool.fields.find(
      (one) => asked.endsWith(questionFor(one, language, true)) || asked.endsWith(questionFor(one, 'en', true)),
    )
    if (field === undefined || tool.role === 'end' || isDone(conversation, tool)) continue
    if (intentsOf(said).has('cancel'))
      return say(`${phrasesOf(language).cancelled} ${phrasesOf(language).anythingElse}`)
    const { args, missing } = fill(tool, scene, sinceOf(tool, scene))
    if (missing.includes(field))
      return scene.factCoverage > 0 && isQuestion(said)
        ? null
        : say(`${phrasesOf(language).unclear} ${questionFor(field, language, true)}`)
    const [next] = missing
    return next === undefined
      ? call(tool, args)
      : say(`${phrasesOf(language).thankYou} ${questionFor(next, language, true)}`)
  }
  return null
}

/** The exchange that a request began with: before the questions about it. */
function sinceOf({ fields }: ReadTool, { conversation, language }: ToolScene): number {
  const { exchanges } = conversation
  let since = exchanges.length - 1
  const isAbout = (asked: string): boolean =>
    fields.some(
      (field) => asked.endsWith(questionFor(field, language, true)) || asked.endsWith(questionFor(field, 'en', true)),
    )
  while (since > 0 && isAbout(exchanges[since]?.asked ?? '')) since -= 1
  return since
}

/** Stores what the user told, once. */
function decideCollect(scene: ToolScene): Decision | null {
  for (const tool of scene.tools) {
    if (tool.role !== 'collect' || isDone(scene.conversation, tool)) continue
    const { args, count } = fill(tool, scene, 0)
    const stored = scene.conversation.calls.filter(({ name }) => name === tool.tool.name)
    const news = Object.entries(args).filter(
      ([name, value]) => !stored.some(({ args: before }) => JSON.stringify(before[name]) === JSON.stringify(value)),
    )
    const isWanted = fitOfTool(tool, scene) >= MIN_ACTION_FIT
    if (count > 0 && news.length > 0) return call(tool, Object.fromEntries(news) as JsonObject)
    const [missing] = tool.fields.filter(({ required }) => required)
    if (isWanted && stored.length === 0 && missing !== undefined) return say(questionFor(missing, scene.language, true))
  }
  return null
}

function decideAction(scene: ToolScene): Decision | null {
  const { conversation, language } = scene
  const said = conversation.current?.said ?? ''
  if (said.trim() === '') return null
  const open = scene.tools.filter((tool) => tool.role === 'action' && !isDone(conversation, tool))
  const rated = open.map((tool) => ({
    tool,
    fit: fitOfTool(tool, scene),
    filled: fill(tool, scene, conversation.exchanges.length - 1),
  }))
  const best = rated.sort((left, right) => right.fit - left.fit || right.filled.count - left.filled.count)[0]
  if (best === undefined || best.fit < MIN_ACTION_FIT) return null
  if (isQuestion(said) && scene.factCoverage > best.fit && scene.factCoverage > 0.8) return null
  const [missing] = best.filled.missing
  return missing === undefined ? call(best.tool, best.filled.args) : say(questionFor(missing, language, true))
}

/** Calls one of the tools, whatever is known: what nobody said is left out. `null` without tools. */
export function forceCall(scene: ToolScene, message: string): Decision | null {
  const rated = scene.tools.map((tool) => ({
    tool,
    filled: fill(tool, scene, 0, true),
    fit: scene.tools.length === 1 ? 1 : fitOfTool(tool, scene) - (tool.role === 'end' ? 0.2 : 0),
  }))
  const best = rated.sort((left, right) => right.fit - left.fit)[0]
  if (best === undefined) return null
  const { tool, filled } = best
  const [field] = tool.fields
  const writes =
    /\b(?:writes?|sends?)\b.{0,40}\b(?:message|sms|text)\b|^write/i.test(tool.tool.description) &&
    tool.fields.length === 1 &&
    /^(?:text|message|body|content)$/i.test(field?.path[0] ?? '')
  if (writes && message !== '') return call(tool, { [field?.path[0] ?? '']: asSentence(message) })
  const awaiting = awaitingCall(scene.conversation)
  return call(tool, awaiting?.name === tool.tool.name ? awaiting.args : filled.args)
}
