import { LIVE_PROTOCOL, type ServerMessage } from '@parley/contract/live'
import type { LegRateHz } from '@parley/engine/audio/frame'
import type { CallObserver, CallUpdate } from '@parley/engine/voice/ports'
import type { StartedCall } from '../../features/calls/public.ts'

/** Numbers the messages of one call, keeps them for replay and sends them to subscribers. */
export class MessageFeed implements CallObserver {
  readonly #history = createMessageHistory()
  readonly #subscribers = new Set<(text: string) => void>()
  #state: MessageOf<'state'> | null = null
  #endedMessage: MessageOf<'ended'> | null = null
  #isClosed = false

  notify(update: CallUpdate): void {
    this.publish(toServerMessage(update))
  }

  publish(message: ServerMessage): void {
    if (this.#isClosed) return
    if (message.type === 'ended') {
      // Connections send this message once all audio has been played.
      this.#endedMessage ??= message
      return
    }
    if (message.type === 'state') this.#state = message
    const text = isNumbered(message) ? this.#history.add(message) : JSON.stringify(message)
    for (const send of this.#subscribers) send(text)
  }

  /** Calls `send` with each new message. Returns a function that unsubscribes. */
  subscribe(send: (text: string) => void): () => void {
    this.#subscribers.add(send)
    return () => this.#subscribers.delete(send)
  }

  /** Stops publishing. */
  close(): void {
    this.#isClosed = true
    this.#subscribers.clear()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Returns the numbered messages after `seq`, oldest first. */
  getMessagesAfter(seq: number): readonly string[] {
    return this.#history.getMessagesAfter(seq)
  }

  /** The current activity of the agent and the caller, or null before the first activity. */
  get state(): MessageOf<'state'> | null {
    return this.#state
  }

  /** The final message of the call. */
  get endedMessage(): MessageOf<'ended'> {
    return this.#endedMessage ?? { type: 'ended', reason: 'user_hangup' }
  }
}

type NumberedMessage = Extract<ServerMessage, { readonly seq: number }>

/** Messages of a call kept for replay after a reconnect. */
interface MessageHistory {
  /** Numbers the message, starting at 1, and keeps it. Returns the message as JSON. */
  add(message: NumberedMessage): string
  /** Returns the messages after `seq`, oldest first. */
  getMessagesAfter(seq: number): readonly string[]
}

/** Maximum number of messages to keep. A call sends far fewer while its caller reconnects. */
const MAX_MESSAGES = 1_000
const MAX_CHARACTERS = 512 * 1024

function createMessageHistory(): MessageHistory {
  const texts: string[] = []
  let characterCount = 0
  let lastSeq = 0

  return {
    add(message) {
      lastSeq += 1
      const text = JSON.stringify({ ...message, seq: lastSeq })
      texts.push(text)
      characterCount += text.length
      while (texts.length > MAX_MESSAGES || (characterCount > MAX_CHARACTERS && texts.length > 1)) {
        characterCount -= texts.shift()?.length ?? 0
      }
      return text
    },
    getMessagesAfter(seq) {
      const firstSeq = lastSeq - texts.length + 1
      return texts.slice(Math.max(0, seq + 1 - firstSeq))
    },
  }
}

/** Whether messages of this type are numbered and replayed. */
function isNumbered(message: ServerMessage): message is NumberedMessage {
  return 'seq' in message
}

export type MessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { readonly type: Type }>

/** Converts an update into a message of the live channel. `MessageFeed` assigns the number. */
export function toServerMessage(update: CallUpdate): ServerMessage {
  switch (update.type) {
    case 'activity':
      return { type: 'state', agent: update.agent, user: update.user }
    case 'agent-change': {
      const { agentName, language } = update
      return { type: 'agent', agentName, language, seq: 0 }
    }
    case 'tool-start':
      return { type: 'tool', name: update.name, phase: 'started', seq: 0 }
    case 'tool-end':
      return { type: 'tool', name: update.name, phase: 'ended', seq: 0 }
    case 'turn-latency':
      return { type: 'latency', turnId: update.turnId, latency: update.latency, seq: 0 }
    case 'end':
      return { type: 'ended', reason: update.reason }
    case 'caption':
    case 'node-transition':
    case 'warning':
      return { ...update, seq: 0 }
  }
}

/** Builds the `joined` message. The resume token of listeners is empty. */
export function buildJoinedMessage(
  call: StartedCall,
  session: { readonly rateHz: LegRateHz; readonly nowMs: number; readonly resumeToken: string },
  { listening, received }: Pick<MessageOf<'joined'>, 'listening' | 'received'>,
): MessageOf<'joined'> {
  const { callId, agentName, language, recognition, standIns, startedAtMs } = call
  const { rateHz, nowMs, resumeToken } = session
  const elapsedMs = Math.max(0, nowMs - startedAtMs)
  const callFields = { callId, agentName, language, recognition, standIns, rateHz, elapsedMs }
  return { type: 'joined', protocol: LIVE_PROTOCOL, ...callFields, resumeToken, listening, received }
}
