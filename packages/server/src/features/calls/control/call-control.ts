import type { JsonValue, MakeId } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { Bus } from '../../../kernel/work/bus.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ActiveCalls, CallCommand, LiveCallControl } from '../live-calls.ts'

const COMMAND_TOPIC = 'call.command'
const ACCEPTED_TOPIC = 'call.command.taken'
/** How long to wait for a response from another node. */
const RESPONSE_TIMEOUT_MS = 2_000

interface CallControlDependencies {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly nodes: Pick<Nodes, 'nodeId'>
  /** The calls on this node. */
  readonly activeCalls: ActiveCalls
}

/** Creates the control for live calls. Commands for calls on other nodes are sent over the bus. */
export function createLiveCallControl(dependencies: CallControlDependencies): LiveCallControl {
  const { bus, clock, makeId, activeCalls } = dependencies
  const { nodeId } = dependencies.nodes
  const pendingRequests = new Map<string, () => void>()

  bus.subscribe(COMMAND_TOPIC, (message) => {
    const request = parseRequest(message)
    if (request === null || request.from === nodeId) return
    if (activeCalls.sendCommand(request.callId, request.command))
      bus.publish(ACCEPTED_TOPIC, { to: request.from, id: request.id })
  })
  bus.subscribe(ACCEPTED_TOPIC, (message) => {
    const response = parseResponse(message)
    if (response?.to === nodeId) pendingRequests.get(response.id)?.()
  })

  function sendToOtherNodes(callId: string, command: CallCommand): Promise<boolean> {
    const id = makeId('req')
    return new Promise((resolve) => {
      const finish = (isAccepted: boolean): void => {
        cancel()
        pendingRequests.delete(id)
        resolve(isAccepted)
      }
      const cancel = clock.after(RESPONSE_TIMEOUT_MS, () => finish(false))
      pendingRequests.set(id, () => finish(true))
      bus.publish(COMMAND_TOPIC, { id, from: nodeId, callId, command })
    })
  }

  return {
    async sendCommand(callId, command) {
      if (activeCalls.sendCommand(callId, command)) return
      if (await sendToOtherNodes(callId, command)) return
      throw new AppError('unavailable', 'The server that holds the call did not respond. Try again.', {
        retryAfterMs: 1_000,
      })
    },
  }
}

interface CommandRequest {
  readonly id: string
  readonly from: string
  readonly callId: string
  readonly command: CallCommand
}

type JsonFields = Readonly<Record<string, JsonValue>>

const isObject = (value: JsonValue | undefined): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a command from another node and returns null for a malformed message. Nodes of one installation trust each other. */
function parseRequest(message: JsonValue): CommandRequest | null {
  if (!isObject(message) || !isObject(message.command)) return null
  const { id, from, callId, command } = message
  if (typeof id !== 'string' || typeof from !== 'string' || typeof callId !== 'string') return null
  return { id, from, callId, command: command as CallCommand }
}

function parseResponse(message: JsonValue): { readonly to: string; readonly id: string } | null {
  if (!isObject(message)) return null
  const { to, id } = message
  return typeof to === 'string' && typeof id === 'string' ? { to, id } : null
}
