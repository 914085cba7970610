import { parseArgs } from 'node:util'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { listSteps } from '../../testing/model-server/rendering.ts'
import { isRecord, type ModelServerRequest, type PreparedReply } from '../../testing/model-server/reply.ts'
import { createStubReply } from '../../testing/model-server/stub-reply.ts'

/**
 * The stub model for chat turns. It responds with 100 words unless the request offers a tool. It calls a tool if the result is
 * not in the request yet, and answers a router with the first edge. All replies are rendered once. Usage:
 * `multi-step-model-server.ts --words 100 --pace-ms 0`. Prints its URL.
 */

/** Arguments of tool calls. `multi-step-turns.ts` defines the tool names, and the engine defines the router name. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  find_times: { day: 'Thursday' },
  choose_transition: { choice: 'e1', reason: 'The user asks for it.' },
}

function setReplies(server: ModelServer, words: number, paceMs: number): void {
  const replyWithText = createStubReply({ words, paceMs })
  const calls = new Map<string, PreparedReply>()
  server.defaultReply = (request) => {
    const name = findToolToCall(request)
    if (name === null) return replyWithText(request)
    const call = calls.get(name) ?? prepareToolCall(name, request)
    calls.set(name, call)
    return call
  }
}

/** Returns the name of the tool to call, or `null` if the reply is text. */
function findToolToCall({ body: { tools, messages } }: ModelServerRequest): string | null {
  const [tool] = Array.isArray(tools) ? (tools as unknown[]) : []
  const toolFunction = isRecord(tool) ? tool.function : null
  const name = isRecord(toolFunction) ? String(toolFunction.name) : ''
  const lastMessage = Array.isArray(messages) ? (messages as unknown[]).at(-1) : null
  const isAnswered = isRecord(lastMessage) && lastMessage.role === 'tool'
  return name in ARGUMENTS && !isAnswered ? name : null
}

/** Prepares a tool call that is sent in a single write. */
function prepareToolCall(name: string, { wire, body }: ModelServerRequest): PreparedReply {
  const toolCalls = [{ name, arguments: JSON.stringify(ARGUMENTS[name]) }]
  const steps = [...listSteps(wire, { toolCalls }, body)]
  const bytes = Buffer.concat(steps.flatMap((step) => (step.kind === 'write' ? [step.bytes] : [])))
  const head = steps.filter(({ kind }) => kind === 'head')
  return { steps: [...head, { kind: 'write', bytes }, { kind: 'end' }] }
}

const { values } = parseArgs({
  options: { words: { type: 'string', default: '100' }, 'pace-ms': { type: 'string', default: '0' } },
})
const server = await startModelServer({ keepRequests: false })
setReplies(server, Number(values.words), Number(values['pace-ms']))
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
