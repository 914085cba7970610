import type { CallProblem } from './call-problem.ts'
import type { AgentActivity, TurnLatency, UserActivity } from './channel/live-protocol.ts'

/** An utterance of one side. Later events with the same `id` replace earlier ones. */
export interface CallTranscript {
  readonly id: string
  readonly role: 'agent' | 'user'
  /** Text of the utterance. For the agent, the final text is what the caller heard. */
  readonly text: string
  /** Whether the text is final. */
  readonly final: boolean
  /** Whether the caller interrupted the agent. */
  readonly interrupted: boolean
}

/** Events of a call. */
export interface CallEvents {
  'call-started': { readonly callId: string; readonly agentName: string }
  'agent-speaking': Record<string, never>
  'agent-silent': Record<string, never>
  'user-speaking': Record<string, never>
  'user-silent': Record<string, never>
  /** Current activity of both sides. */
  activity: { readonly agent: AgentActivity; readonly user: UserActivity }
  transcript: CallTranscript
  /** Another agent took over the conversation. */
  agent: { readonly agentName: string }
  /** The conversation moved to another flow node. `path` contains the enclosing component nodes, outermost first. */
  'node-transition': { readonly nodeId: string; readonly nodeName: string; readonly path: readonly string[] }
  tool: { readonly name: string; readonly phase: 'started' | 'ended' }
  /** Latency of an answer in milliseconds. */
  latency: { readonly turnId: string; readonly latency: TurnLatency }
  /** Levels of both sides, from 0 to 1, about 16 times per second. */
  level: { readonly user: number; readonly agent: number }
  reconnecting: Record<string, never>
  reconnected: Record<string, never>
  /** A problem that does not end the call. */
  warning: { readonly code: string; readonly message: string }
  /** A problem that ends the call. The `ended` event follows. */
  error: CallProblem
  /** The last event. `reason` is the recorded reason, or the code of the problem that ended the call in this client. */
  ended: { readonly reason: string }
}

/** Dispatches events to listeners. Events that occur before `open` are queued. */
export class EventHub<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()
  #pendingDeliveries: (() => void)[] | null = []

  /** Adds a listener and returns a function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  off<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    if (this.#pendingDeliveries !== null) {
      this.#pendingDeliveries.push(() => this.#deliver(name, event))
      return
    }
    this.#deliver(name, event)
  }

  /** Delivers queued events. Later events are delivered immediately. */
  open(): void {
    const pendingDeliveries = this.#pendingDeliveries ?? []
    this.#pendingDeliveries = null
    for (const deliver of pendingDeliveries) deliver()
  }

  #deliver<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (event: Events[Name]) => void)(event)
      } catch (error) {
        // An error in a listener must not end the call, so it is reported like any uncaught error.
        reportError(error)
      }
    }
  }
}
