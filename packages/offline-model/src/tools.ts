import { type Field, isObject, readFields, splitIdentifier } from '@parley/engine/dialogue/rules/fields'
import { type Exchange, fillFields, toArguments } from '@parley/engine/dialogue/rules/fill-fields'
import { detectIntents, detectPolarity, isQuestion } from '@parley/engine/dialogue/rules/intents'
import { joinList, shorten } from '@parley/engine/dialogue/rules/sentences'
import { EXECUTION_MESSAGE_FIELD } from '@parley/engine/dialogue/tools/offered-tools'
import type { JsonObject, ModelTool } from '@parley/engine/ports'
import { formatQuestion } from './acts.ts'
import type { Conversation, MadeCall } from './conversation.ts'
import { type EdgeScene, getOverlap, MIN_FIT, rateFit } from './edges.ts'
import { getPhrases, joinText } from './phrases.ts'
import { formatFarewell, isLeaving, type ReplyScene } from './reply.ts'
import { formatValue, isFailedResult } from './results.ts'

export type Role = 'end' | 'transition' | 'swap' | 'collect' | 'action'

/** A tool with its role and fields. */
export interface ReadTool {
  readonly tool: ModelTool
  readonly role: Role
  readonly fields: readonly Field[]
}

/** The model's reply: a text, tool calls, or both. */
export interface Decision {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
}

export interface ToolScene extends EdgeScene {
  readonly tools: readonly ReadTool[]
  /** What the agent would say without tools. */
  readonly reply: ReplyScene
}

/** Returns how well the prompt and documents answer the last message, from 0 to 1. */
const computeCoverage = ({ reply }: ToolScene): number => reply.answer?.coverage ?? 0

const MIN_ACTION_FIT = 0.6
const MAX_DESCRIPTION = 2_000
const END =
  /^(?:end|hang|bye|finish|goodbye)|\b(?:ends?|hangs? up|finish(?:es)?|closes?|terminates?)\b.{0,30}\b(?:call|chat|conversation)\b|\bhangs? up\b|beendet/i
const SWAP =
  /\b(?:transfers?|hands? (?:over|off|back)|connects? (?:to|the (?:caller|user|customer))|escalates?|forwards?|puts? through)\b|^(?:transfer|hand_?over|escalate|swap)/i
const WHEN =
  /(?:^|[\s,])(?:when(?:ever)?|if|once|as soon as|for (?:questions|requests|calls) about|wenn|falls)\s(.{3,300}?)(?:[.;]|$)/i
const AGREEMENT = /\bneeds? the agreement of the user\b|\bagreement\b.{0,40}\brequired\b/i
const FLOW_AGREEMENT = /Before the tool (\S{1,100}) runs, the user has to agree/
const STORES = /extract|store|note|save|remember|collect|record/i

export function readTool(tool: ModelTool): ReadTool {
  const description = tool.description.slice(0, MAX_DESCRIPTION)
  const fields = readFields(tool.parameters).filter(({ path }) => path[0] !== EXECUTION_MESSAGE_FIELD)
  const isFree = !fields.some(({ required }) => required)
  const matchesTool = (pattern: RegExp): boolean => isFree && (pattern.test(tool.name) || pattern.test(description))
  if (tool.name.startsWith('transition_to_')) return { tool, fields, role: 'transition' }
  if (matchesTool(SWAP)) return { tool, fields, role: 'swap' }
  if (matchesTool(END)) return { tool, fields, role: 'end' }
  const stores = STORES.test(description) && STORES.test(tool.name) && fields.length > 0
  return { tool, fields, role: stores ? 'collect' : 'action' }
}

function createCall({ tool: { name, parameters } }: ReadTool, args: JsonObject, text = ''): Decision {
  const hasMessage = isObject(parameters.properties) && Object.hasOwn(parameters.properties, EXECUTION_MESSAGE_FIELD)
  const message = hasMessage ? { [EXECUTION_MESSAGE_FIELD]: 'One moment, please.' } : {}
  return { text, calls: [{ name, args: { ...args, ...message } }] }
}

export function createReply(...sentences: readonly string[]): Decision {
  return { text: joinText(...sentences), calls: [] }
}

/** Lists the tools of a role that were not called in this turn, or whose call failed. */
function listTools({ conversation, tools }: ToolScene, role: Role): readonly ReadTool[] {
  const done = conversation.calls
    .slice(conversation.callsBefore)
    .filter(({ result }) => !AGREEMENT.test(result ?? '') && !isFailedResult(result ?? ''))
  return tools.filter(({ tool, role: own }) => own === role && !done.some(({ name }) => name === tool.name))
}

/** Returns the tool with the best fit if the fit reaches the minimum. */
function findBest(
  tools: readonly ReadTool[],
  minFit: number,
  fitOfOne: (tool: ReadTool) => number,
): ReadTool | undefined {
  const rated = tools.map((tool) => ({ tool, fit: fitOfOne(tool) })).filter(({ fit }) => fit >= minFit)
  return rated.toSorted((left, right) => right.fit - left.fit)[0]?.tool
}

/** Returns the last call if it requires the user's approval. */
function findAwaitingCall({ calls }: Conversation): MadeCall | undefined {
  const lastCall = calls.at(-1)
  return AGREEMENT.test((lastCall?.result ?? '').slice(0, 600)) ? lastCall : undefined
}

/** Decides on a tool call, or on a question about one. Returns `null` if no tool fits. */
export function decideTool(scene: ToolScene): Decision | null {
  const { conversation, tools } = scene
  const agreement = decideApproval(scene)
  if (agreement !== null || conversation.current === null) return agreement
  const made = conversation.calls.slice(conversation.callsBefore).map(({ name }) => name)
  const hasActed = tools.some(({ tool, role }) => role === 'action' && made.includes(tool.name))
  if (conversation.hasFreshResults && hasActed && !tools.some(({ role }) => role === 'transition')) return null
  const { user: said } = conversation.current
  const next = decideTransition(scene, said) ?? decideEnd(scene) ?? decideSwap(scene, said)
  return next ?? continueTool(scene, conversation.current) ?? decideCollect(scene) ?? decideAction(scene, said)
}

/** Announces a call and asks for approval. Repeats the call with the same arguments after a yes. */
function decideApproval({ conversation, tools, reply }: ToolScene): Decision | null {
  const { calls, current, hasFreshResults, prompts } = conversation
  const inFlow = FLOW_AGREEMENT.exec(prompts.at(-1) ?? '')?.[1]
  const pendingCall = findAwaitingCall(conversation) ?? calls.findLast(({ name }) => name === inFlow)
  if (pendingCall === undefined) return null
  const { cancelled, anythingElse, isAllRight } = getPhrases(reply.language)
  const tool = tools.find((one) => one.tool.name === pendingCall.name)
  if (!hasFreshResults && inFlow === undefined) {
    if (current?.agent.endsWith(isAllRight) !== true) return null
    const polarity = detectPolarity(current.user)
    if (polarity === 'no') return createReply(cancelled, anythingElse)
    const agrees = polarity === 'yes' && !/\b(?:but|except|instead)\b|\?/i.test(current.user)
    return agrees && tool !== undefined ? createCall(tool, pendingCall.args) : null
  }
  const [verb = '', ...object] = splitIdentifier(pendingCall.name).split(/\s+/)
  const purpose = object.length === 0 ? `use "${verb}"` : `${verb} the ${object.join(' ')}`
  return createReply(`I would now ${purpose}${formatDetails(pendingCall.args)}.`, isAllRight)
}

function formatDetails(args: JsonObject): string {
  const fields = Object.entries(args).filter(
    ([name, value]) => typeof value !== 'object' && name !== EXECUTION_MESSAGE_FIELD,
  )
  const parts = fields.slice(0, 8).map(([name, value]) => `${splitIdentifier(name)}: ${formatValue(value ?? '')}`)
  return parts.length === 0 ? '' : ` (${shorten(joinList(parts), 400)})`
}

function decideTransition(scene: ToolScene, said: string): Decision | null {
  const minFit = computeCoverage(scene) > 0.9 && isQuestion(said) ? 0.9 : MIN_FIT
  const best = findBest(listTools(scene, 'transition'), minFit, ({ tool }) => rateFit(tool.description, scene))
  return best === undefined ? null : createCall(best, fillArguments(best, scene).args)
}

function decideEnd(scene: ToolScene): Decision | null {
  const [end] = listTools(scene, 'end')
  return end === undefined || !isLeaving(scene.reply) ? null : createCall(end, {}, formatFarewell(scene.reply))
}

/** Hands the conversation over if a tool fits or the user asks for a person. */
function decideSwap(scene: ToolScene, said: string): Decision | null {
  // An agent that has just taken over must not hand over again for the same request.
  if (scene.conversation.wasHandedOver) return null
  const swapTools = listTools(scene, 'swap')
  const wantsPerson = detectIntents(said).has('person')
  const best = findBest(swapTools, MIN_ACTION_FIT, (one) => {
    const isForPeople = swapTools.length === 1 || /person|human|staff|colleague/i.test(one.tool.description)
    return wantsPerson && isForPeople ? 1 : rateTool(one, scene)
  })
  return best === undefined ? null : createCall(best, {})
}

/** Returns the field of a tool that the agent's text asks for. */
function findAskedField({ fields }: ReadTool, asked: string): Field | undefined {
  const isAsked = (field: Field): boolean =>
    ['en', 'de'].some((language) => asked.endsWith(formatQuestion(field, language, true)))
  return fields.find(isAsked)
}

function fillArguments(tool: ReadTool, { conversation, today }: EdgeScene, requestStart = 0, acceptsText = false) {
  const findField = (asked: string): Field | undefined => findAskedField(tool, asked)
  const options = { today, requestStart, findAskedField: findField, acceptsText }
  const { values, missing } = fillFields(tool.fields, conversation.exchanges, options)
  return { args: toArguments(values), missing }
}

/** Returns how well the condition, name, description and choices of a tool fit the last message. */
function rateTool({ tool, fields }: ReadTool, scene: EdgeScene): number {
  const message = scene.conversation.current?.user ?? ''
  const description = tool.description.slice(0, MAX_DESCRIPTION)
  const name = splitIdentifier(tool.name)
  const toolText = `${name} ${description} ${fields.map(({ label, choices }) => `${label} ${choices.join(' ')}`).join(' ')}`
  const bySaid = getOverlap(message.replace(/\S*\d\S*/g, ''), toolText)
  const when = WHEN.exec(description)?.[1]
  // A condition in the description outweighs other words unless it ends with a pronoun ("asks for it").
  if (when !== undefined && !/\b(?:them|it|this|that|so)$/i.test(when))
    return Math.max(rateFit(when, scene), Math.min(bySaid * 0.75, MIN_ACTION_FIT - 0.05))
  const byName = Math.max(getOverlap(name, message), getOverlap(name.split(/\s+/).slice(1).join(' '), message) * 0.9)
  return byName >= 0.5 ? byName * 0.6 + bySaid * 0.4 : bySaid * 0.75
}

/** Continues with the tool whose value the last question asked for. */
function continueTool(scene: ToolScene, { agent: asked, user: said }: Exchange): Decision | null {
  const { conversation, reply } = scene
  const { language } = reply
  const { cancelled, anythingElse, unclear, thankYou } = getPhrases(language)
  const openTools = [...listTools(scene, 'action'), ...listTools(scene, 'collect')]
  const tool = openTools.find((one) => findAskedField(one, asked) !== undefined)
  const field = tool === undefined ? undefined : findAskedField(tool, asked)
  if (tool === undefined || field === undefined) return null
  if (detectIntents(said).has('cancel')) return createReply(cancelled, anythingElse)
  let since = conversation.exchanges.length - 1
  while (since > 0 && findAskedField(tool, conversation.exchanges[since]?.agent ?? '') !== undefined) since -= 1
  const { args, missing } = fillArguments(tool, scene, since)
  const [next] = missing
  if (next === undefined) return createCall(tool, args)
  if (!missing.includes(field)) return createReply(thankYou, formatQuestion(next, language, true))
  return reply.answer !== null && isQuestion(said) ? null : createReply(unclear, formatQuestion(field, language, true))
}

/** Stores each new value from the user once. */
function decideCollect(scene: ToolScene): Decision | null {
  for (const tool of listTools(scene, 'collect')) {
    const stored = scene.conversation.calls.filter(({ name }) => name === tool.tool.name)
    const isStored = (name: string, value: unknown): boolean =>
      stored.some(({ args }) => JSON.stringify(args[name]) === JSON.stringify(value))
    const news = Object.entries(fillArguments(tool, scene).args).filter(([name, value]) => !isStored(name, value))
    if (news.length > 0) return createCall(tool, Object.fromEntries(news) as JsonObject)
  }
  return null
}

function decideAction(scene: ToolScene, said: string): Decision | null {
  const minFit = isQuestion(said) && computeCoverage(scene) > 0.8 ? computeCoverage(scene) : MIN_ACTION_FIT
  const best = findBest(listTools(scene, 'action'), minFit, (tool) => rateTool(tool, scene))
  if (best === undefined) return null
  const { args, missing } = fillArguments(best, scene, scene.conversation.exchanges.length - 1)
  const [next] = missing
  return next === undefined ? createCall(best, args) : createReply(formatQuestion(next, scene.reply.language, true))
}

/** Calls the best tool with the known values. Returns `null` if there are no tools. */
export function forceCall(scene: ToolScene): Decision | null {
  const best = findBest(scene.tools, -1, (tool) => rateTool(tool, scene) - (tool.role === 'end' ? 0.2 : 0))
  return best === undefined ? null : createCall(best, fillArguments(best, scene, 0, true).args)
}
