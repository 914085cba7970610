import { isRecord, type ModelServerRequest } from './reply.ts'

/** Returns the problem for which the real vendor responds with 400, or null. Covers only common client errors. */
export function findRequestProblem(request: ModelServerRequest): string | null {
  const { body } = request
  if (typeof body.model !== 'string' || body.model === '') return 'model: a name is required.'
  if (body.stream !== true) return 'stream: this server only streams.'
  const messages = Array.isArray(body.messages) ? (body.messages as unknown[]) : []
  if (messages.length === 0) return 'messages: at least one is required.'
  if (!messages.every(isRecord)) return 'messages: each must be an object.'
  return request.wire === 'openai' ? findOpenAiProblem(messages) : findAnthropicProblem(request, messages)
}

type Message = Readonly<Record<string, unknown>>

function findOpenAiProblem(messages: readonly Message[]): string | null {
  const openCallIds = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!openCallIds.delete(message.tool_call_id)) return `messages[${index}]: a result without a preceding call.`
      continue
    }
    if (openCallIds.size > 0) return `messages[${index}]: a tool call has no result.`
    if (!['system', 'developer', 'user', 'assistant'].includes(String(message.role))) return `messages[${index}]: role.`
    const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : []
    if (calls.length === 0 && typeof message.content !== 'string') return `messages[${index}]: content is required.`
    for (const call of calls) openCallIds.add(isRecord(call) ? call.id : undefined)
  }
  return openCallIds.size > 0 ? 'messages: a tool call has no result.' : null
}

function findAnthropicProblem(request: ModelServerRequest, messages: readonly Message[]): string | null {
  if (typeof request.headers['anthropic-version'] !== 'string') return 'anthropic-version: header is required'
  if (typeof request.body.max_tokens !== 'number') return 'max_tokens: Field required'
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  let openCalls: readonly unknown[] = []
  let hasToolBlocks = false
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant')
      return `messages.${index}.role: Input should be user or assistant`
    const blocks = Array.isArray(message.content) ? (message.content as unknown[]).filter(isRecord) : []
    if (blocks.length === 0 && typeof message.content !== 'string') return `messages.${index}: content is required`
    if (blocks.some((block) => block.type === 'text' && String(block.text).trim() === '')) {
      return `messages.${index}: text content blocks must contain non-whitespace text`
    }
    const results = blocks.slice(0, openCalls.length).map((block) => block.tool_use_id)
    if (openCalls.some((id) => !results.includes(id)))
      return `messages.${index}: tool_use without tool_result right after`
    openCalls = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id)
    hasToolBlocks ||= blocks.some((block) => block.type === 'tool_use' || block.type === 'tool_result')
  }
  if (openCalls.length > 0) return 'messages: tool_use without tool_result right after'
  return hasToolBlocks && !Array.isArray(request.body.tools) ? 'tools: required with tool blocks' : null
}
