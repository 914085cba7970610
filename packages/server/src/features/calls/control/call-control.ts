import type { JsonValue, MakeId } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { Bus } from '../../../kernel/work/bus.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallCommand, HeldCalls, LiveCallControl } from '../live-calls.ts'

const COMMANDS = 'call.command'
const TAKEN = 'call.command.taken'
/** Longer nobody waits for another node. */
const ANSWER_MS = 2_000

export interface CallControlDependencies {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly nodes: Pick<Nodes, 'nodeId'>
  /** The calls of this node. */
  readonly held: HeldCalls
}

/** Finds the node that holds a call: this one is asked, the others by the bus, and whoever holds it says so. */
export function createLiveCallControl(dependencies: CallControlDependencies): LiveCallControl {
  const { bus, clock, makeId, held } = dependencies
  const { nodeId } = dependencies.nodes
  const waiting = new Map<string, () => void>()

  bus.subscribe(COMMANDS, (message) => {
    const request = readRequest(message)
    if (request === null || request.from === nodeId) return
    if (held.command(request.callId, request.command)) bus.publish(TAKEN, { to: request.from, id: request.id })
  })
  bus.subscribe(TAKEN, (message) => {
    const answer = readAnswer(message)
    if (answer?.to === nodeId) waiting.get(answer.id)?.()
  })

  function askOthers(callId: string, command: CallCommand): Promise<boolean> {
    const id = makeId('req')
    return new Promise((resolve) => {
      const finish = (isTaken: boolean): void => {
        cancel()
        waiting.delete(id)
        resolve(isTaken)
      }
      const cancel = clock.after(ANSWER_MS, () => finish(false))
      waiting.set(id, () => finish(true))
      bus.publish(COMMANDS, { id, from: nodeId, callId, command })
    })
  }

  return {
    async command(callId, command) {
      if (held.command(callId, command)) return
      if (await askOthers(callId, command)) return
      throw new AppError('unavailable', 'The server that holds the call does not answer. Try again.', {
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

type Fields = Readonly<Record<string, JsonValue>>

const isFields = (value: JsonValue | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Nodes of one installation trust each other; what is no message of ours is passed over. */
function readRequest(message: JsonValue): CommandRequest | null {
  if (!isFields(message) || !isFields(message.command)) return null
  const { id, from, callId, command } = message
  if (typeof id !== 'string' || typeof from !== 'string' || typeof callId !== 'string') return null
  return { id, from, callId, command: command as CallCommand }
}

function readAnswer(message: JsonValue): { readonly to: string; readonly id: string } | null {
  if (!isFields(message)) return null
  const { to, id } = message
  return typeof to === 'string' && typeof id === 'string' ? { to, id } : null
}
