import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Problem } from '../../lib/api/problem.ts'
import { requestBytes } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** What is heard of voices right now: one at a time. */
export interface VoicePreview {
  /** The voice that speaks or is about to. */
  readonly voiceId: string | null
  readonly state: 'silent' | 'loading' | 'playing'
  /** Why a voice could not be heard, and which. */
  readonly problem: { readonly voiceId: string; readonly error: Error } | null
  /** Plays a voice, or stops it where it plays. */
  toggle(voiceId: string): void
  stop(): void
}

type Heard = Pick<VoicePreview, 'voiceId' | 'state' | 'problem'>
const SILENCE: Heard = { voiceId: null, state: 'silent', problem: null }

/** Lets voices say a sentence. Silent again when the component goes. */
export function useVoicePreview(): VoicePreview {
  const workspaceId = useWorkspaceId()
  const [heard, setHeard] = useState<Heard>(SILENCE)
  const ending = useRef<AbortController | null>(null)

  const stop = useCallback(() => {
    ending.current?.abort()
    ending.current = null
    setHeard(SILENCE)
  }, [])

  const play = useCallback(
    async (voiceId: string) => {
      ending.current?.abort()
      const ended = new AbortController()
      ending.current = ended
      setHeard({ voiceId, state: 'loading', problem: null })
      try {
        // The page may play sound of this host only, so the server fetches what a provider speaks.
        const body = { workspaceId }
        const sound = await requestBytes('previewVoice', { path: { voiceId }, body }, { signal: ended.signal })
        await playSound(sound, ended.signal, () => setHeard({ voiceId, state: 'playing', problem: null }))
        if (!ended.signal.aborted) setHeard(SILENCE)
      } catch (error) {
        if (!ended.signal.aborted)
          setHeard({ voiceId: null, state: 'silent', problem: { voiceId, error: toProblem(error) } })
      }
    },
    [workspaceId],
  )

  useEffect(() => () => ending.current?.abort(), [])
  return useMemo(
    () => ({
      ...heard,
      stop,
      toggle: (voiceId) => (heard.voiceId === voiceId ? stop() : void play(voiceId)),
    }),
    [heard, stop, play],
  )
}

/** Resolves when the sound has ended or was stopped. */
async function playSound(sound: Blob, signal: AbortSignal, onPlaying: () => void): Promise<void> {
  const address = URL.createObjectURL(sound)
  const audio = new Audio(address)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A sound that was stopped while it began still tells that it plays.
  audio.addEventListener('playing', () => !signal.aborted && onPlaying(), { once: true })
  audio.addEventListener('ended', () => resolve())
  audio.addEventListener('error', () => reject(unplayable()))
  signal.addEventListener('abort', () => resolve())
  try {
    if (signal.aborted) return
    await audio.play()
    await promise
  } finally {
    audio.pause()
    URL.revokeObjectURL(address)
  }
}

const unplayable = (): Problem =>
  new Problem('The browser cannot play the sound that the server answered.', { code: 'unreadable' })

/** Everything that is no answer of the server is the browser's refusal to play. */
const toProblem = (error: unknown): Problem => (error instanceof Problem ? error : unplayable())
