import type { ServerMessage } from '@parley/contract/live'
import type { Frame } from '@parley/engine/audio/frame'
import type { SocketLine } from './socket-line.ts'

/** Those who hear a call from its side: both voices in one, as the caller hears and says them. */
export interface LineListeners {
  /** `false`: there are as many as there may be. */
  add(line: SocketLine, joined: ServerMessage, past: readonly string[]): boolean
  remove(line: SocketLine): void
  /** A frame of the caller: sets the pace. */
  caller(frame: Frame): void
  /** A frame that was sent to the caller. */
  sent(frame: Frame, startSample: number): void
  /** So much of what was sent has been played; the rest may still be dropped. */
  played(playedSamples: number): void
  /** What was sent and not played is dropped. */
  cleared(): void
  told(text: string): void
  ended(message: ServerMessage): void
}

/** From its first message on, the line of a listener is of no use for anything else; `gone` is called once, when it ends. */
export function hearListener(line: SocketLine, gone: () => void): void {
  line.listen({
    message(message) {
      if (message.type === 'ping') line.say({ type: 'pong', id: message.id, received: 0 })
      if (message.type !== 'leave') return
      gone()
      line.close(1000, 'left')
    },
    invalid: () => undefined,
    sound: () => undefined,
    gone,
  })
}

const MOST_LISTENERS = 5
/** Sound of the agent that waits for the caller's next frame: what is older is not worth hearing any more. */
const MOST_WAITING_FRAMES = 100
/** A listener whose connection takes no more than this misses frames. */
const MOST_WAITING_BYTES = 64 * 1024

export function createLineListeners(): LineListeners {
  const lines = new Map<SocketLine, { sentSamples: number }>()
  let waiting: { readonly frame: Frame; readonly endSample: number }[] = []
  let playedSamples = 0

  function remove(line: SocketLine): void {
    lines.delete(line)
    if (lines.size === 0) waiting = []
  }

  return {
    remove,
    add(line, joined, past) {
      if (lines.size >= MOST_LISTENERS) return false
      lines.set(line, { sentSamples: 0 })
      hearListener(line, () => remove(line))
      line.say(joined)
      for (const text of past) line.sayText(text)
      return true
    },
    caller(frame) {
      if (lines.size === 0) return
      const [next] = waiting
      const isPlayed = next !== undefined && next.endSample <= playedSamples
      if (isPlayed) waiting.shift()
      const mixed = isPlayed ? mix(frame, next.frame) : frame
      for (const [line, state] of lines) {
        if (line.waitingBytes <= MOST_WAITING_BYTES) line.sendSound(mixed, state.sentSamples)
        state.sentSamples += mixed.length
      }
    },
    sent(frame, startSample) {
      if (lines.size === 0) return
      // The sender may use its frame again.
      waiting.push({ frame: frame.slice(), endSample: startSample + frame.length })
      if (waiting.length > MOST_WAITING_FRAMES) waiting.shift()
    },
    played(samples) {
      playedSamples = samples
    },
    cleared() {
      waiting = waiting.filter(({ endSample }) => endSample <= playedSamples)
    },
    told(text) {
      for (const line of lines.keys()) line.sayText(text)
    },
    ended(message) {
      const open = [...lines.keys()]
      lines.clear()
      waiting = []
      for (const line of open) {
        line.say(message)
        line.close(1000, 'ended')
      }
    },
  }
}

/** The sum of two frames; what is too loud is cut off. */
function mix(one: Frame, other: Frame): Frame {
  const mixed = new Int16Array(one.length)
  for (let index = 0; index < mixed.length; index += 1) {
    const sum = (one[index] ?? 0) + (other[index] ?? 0)
    mixed[index] = Math.max(-32_768, Math.min(32_767, sum))
  }
  return mixed
}
