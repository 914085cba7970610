import type { SpeechFailure } from '@parley/engine/voice/ports'
import type { SpeechSocketTarget } from '../vendor-socket.ts'
import { ContextSocket } from './context-socket.ts'
import type { SocketMode, VoiceChannel, VoiceSettings } from './speech-messages.ts'

/** Maximum number of sockets of a synthesizer. All contexts together exceed the concurrency of any plan. */
const MAX_SOCKETS = 256
/** Maximum number of channels for which the vendor refused contexts. */
const MAX_REFUSED_CHANNELS = 1_000
/** A held socket that ends sooner is not replaced, so that a vendor that closes every socket causes no loop. */
const MIN_LIFETIME_MS = 5_000

/** The sockets of one channel. */
interface ChannelSockets {
  readonly channel: VoiceChannel
  readonly sockets: Set<ContextSocket>
  holdCount: number
}

/** Shares the sockets of a channel among requests, and keeps one open while a call holds the channel. */
export class ContextPool {
  readonly #target: SpeechSocketTarget
  readonly #channels = new Map<string, ChannelSockets>()
  /** Channels without contexts. Each of their texts is spoken on its own socket. */
  readonly #refusedChannels = new Set<string>()
  #socketCount = 0

  constructor(target: SpeechSocketTarget) {
    this.#target = target
  }

  /** Returns a socket with a free context, or a failure if too many sockets are open. */
  acquire(channel: VoiceChannel, settings: VoiceSettings | null): ContextSocket | SpeechFailure {
    const key = buildKey(channel)
    const channelSockets = this.#getChannelSockets(key, channel)
    const freeSocket = [...channelSockets.sockets].find((socket) => socket.canSpeak(settings))
    if (freeSocket !== undefined) return freeSocket
    if (this.#socketCount >= MAX_SOCKETS) return TOO_MANY_SOCKETS
    return this.#openSocket(key, channelSockets)
  }

  /** Keeps a socket of the channel open until the returned function is called. */
  hold(channel: VoiceChannel): () => void {
    const key = buildKey(channel)
    const channelSockets = this.#getChannelSockets(key, channel)
    channelSockets.holdCount += 1
    this.#ensureSocket(key, channelSockets)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      channelSockets.holdCount -= 1
      this.#removeIfUnused(key, channelSockets)
    }
  }

  #getChannelSockets(key: string, channel: VoiceChannel): ChannelSockets {
    const channelSockets = this.#channels.get(key) ?? { channel, sockets: new Set(), holdCount: 0 }
    this.#channels.set(key, channelSockets)
    return channelSockets
  }

  #ensureSocket(key: string, channelSockets: ChannelSockets): void {
    const { sockets, holdCount } = channelSockets
    if (holdCount > 0 && sockets.size === 0 && this.#socketCount < MAX_SOCKETS) this.#openSocket(key, channelSockets)
  }

  #openSocket(key: string, channelSockets: ChannelSockets): ContextSocket {
    const { channel, sockets } = channelSockets
    const mode: SocketMode = this.#refusedChannels.has(key) ? 'single' : 'multi'
    const { clock } = this.#target
    const openedAtMs = clock.now()
    const socket: ContextSocket = new ContextSocket(
      {
        target: this.#target,
        channel,
        mode,
        onEnded: (isRefused) => {
          if (isRefused) this.#addRefusedChannel(key)
          sockets.delete(socket)
          this.#socketCount -= 1
          if (isRefused || clock.now() - openedAtMs >= MIN_LIFETIME_MS) this.#ensureSocket(key, channelSockets)
          this.#removeIfUnused(key, channelSockets)
        },
      },
      // One held socket is enough. Others close when idle.
      () => channelSockets.holdCount > 0 && sockets.values().next().value === socket,
    )
    sockets.add(socket)
    this.#socketCount += 1
    return socket
  }

  #addRefusedChannel(key: string): void {
    const [oldestKey] = this.#refusedChannels
    if (this.#refusedChannels.size >= MAX_REFUSED_CHANNELS && oldestKey !== undefined)
      this.#refusedChannels.delete(oldestKey)
    this.#refusedChannels.add(key)
  }

  #removeIfUnused(key: string, { sockets, holdCount }: ChannelSockets): void {
    if (sockets.size === 0 && holdCount === 0) this.#channels.delete(key)
  }
}

const TOO_MANY_SOCKETS: SpeechFailure = {
  kind: 'rate-limited',
  message: 'Too many connections to the provider are open.',
  retryable: true,
}

function buildKey({ voice, model, rateHz, language }: VoiceChannel): string {
  return JSON.stringify([voice, model, rateHz, language])
}
