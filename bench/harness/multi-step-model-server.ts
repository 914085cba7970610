import { parseArgs } from 'node:util'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { stepsOf } from '../../testing/model-server/rendering.ts'
import { isRecord, type ModelServerRequest, type PreparedReply } from '../../testing/model-server/reply.ts'
import { stubReply } from '../../testing/model-server/stub-reply.ts'

/**
 * The stub model of chat turns: 100 words to every request, save those that offer it something to call. It calls a tool when
 * the tool's result is not there yet, and answers a router with the first way. All replies are rendered once. Usage:
 * `multi-step-model-server.ts --words 100 --pace-ms 0`; prints its address.
 */

/** What it calls these with. The names of tools stand in `acting-turns.ts`, that of the router is the engine's own. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  find_times: { day: 'Thursday' },
  choose_transition: { choice: 'e1', reason: 'The user asks for it.' },
}

function setReplies(server: ModelServer, words: number, paceMs: number): void {
  const replyWithText = stubReply({ words, paceMs })
  const calls = new Map<string, PreparedReply>()
  server.defaultReply = (request) => {
    const name = toolToCall(request)
    if (name === null) return replyWithText(request)
    const known = calls.get(name) ?? prepareCall(name, request)
    calls.set(name, known)
    return known
  }
}

/** The name of what a request is answered with a call of, `null` when it is answered in words. */
function toolToCall({ body: { tools, messages } }: ModelServerRequest): string | null {
  const [tool] = Array.isArray(tools) ? (tools as unknown[]) : []
  const described = isRecord(tool) ? tool.function : null
  const name = isRecord(described) ? String(described.name) : ''
  const last = Array.isArray(messages) ? (messages as unknown[]).at(-1) : null
  const isAnswered = isRecord(last) && last.role === 'tool'
  return name in ARGUMENTS && !isAnswered ? name : null
}

/** Leaves in one write, as the words do nearly. */
function prepareCall(name: string, { wire, body }: ModelServerRequest): PreparedReply {
  const toolCalls = [{ name, arguments: JSON.stringify(ARGUMENTS[name]) }]
  const steps = [...stepsOf(wire, { toolCalls }, body)]
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
