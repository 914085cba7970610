import { readFields } from '@parley/engine/dialogue/rules/fields'
import { fillFields, toArguments } from '@parley/engine/dialogue/rules/fill-fields'
import { splitSentences, toSentence } from '@parley/engine/dialogue/rules/sentences'
import type { ModelRequest } from '@parley/engine/ports'
import { listFields, parseAllActs } from './acts.ts'
import type { Conversation } from './conversation.ts'
import { chooseEdge, readRouter } from './edges.ts'
import { readPrompt } from './prompt.ts'
import { readScene, replyInWords } from './reply.ts'
import { createReply, type Decision, decideTool, forceCall, readTool } from './tools.ts'

const STEP = /The present step of the conversation:\n([^\n]{1,4000})/
const NOTE = /What happened at this step: ([^\n]{1,2000})/

/** Decides on a text or a tool call for any conversation, without side effects. */
export function decide(request: ModelRequest, conversation: Conversation): Decision {
  if (conversation.news !== null) return createReply(toSentence(conversation.news.trim()))
  const offered = request.toolChoice === 'none' ? [] : request.tools
  return decideRoute(request, conversation) ?? decideReply({ ...request, tools: offered }, conversation)
}

function decideRoute({ toolChoice, tools }: ModelRequest, conversation: Conversation): Decision | null {
  const [tool] = tools
  const router = tool !== undefined && toolChoice !== 'none' && tools.length === 1 ? readRouter(tool) : null
  if (tool === undefined || router === null) return null
  const text = conversation.prompts.join('\n')
  const { today } = readPrompt(conversation.prompts)
  const note = NOTE.exec(text)?.[1] ?? ''
  const fields = readFields(tool.parameters).filter(({ path }) => path[0] !== 'choice' && path[0] !== 'reason')
  const { values } = fillFields(fields, conversation.exchanges, { today, acceptsText: true })
  const step = splitSentences((STEP.exec(text)?.[1] ?? '').slice(0, 4_000))
  const stepFields = listFields(parseAllActs(step))
  const exchanges = conversation.current === null ? [] : [conversation.current]
  const choices = fields.filter(({ kind }) => kind === 'choice')
  const namesChoice = fillFields(choices, exchanges, { today }).values.size > 0
  const chosen = chooseEdge(router, { conversation, today, note, namesChoice, stepFields })
  return { text: '', calls: [{ name: tool.name, args: { ...toArguments(values), ...chosen } }] }
}

function decideReply({ toolChoice, tools: offered }: ModelRequest, conversation: Conversation): Decision {
  const prompt = readPrompt(conversation.prompts)
  const reply = readScene(conversation, prompt)
  const toolScene = { conversation, today: prompt.today, note: '', tools: offered.map(readTool), reply }
  const isRequired = toolChoice === 'required' && offered.length > 0
  const needsAgreement = conversation.prompts.some((text) => text.includes('the user has to agree'))
  const isFree = !isRequired || offered.length > 1
  const decided = isFree && (offered.length > 0 || needsAgreement) ? decideTool(toolScene) : null
  if (decided !== null && (!isRequired || decided.calls.length > 0)) return decided
  const forced = isRequired ? forceCall(toolScene) : null
  const names = offered.map(({ name }) => name)
  return forced ?? createReply(replyInWords(reply, names))
}
