import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Problem } from '../../lib/api/problem.ts'
import { requestBytes } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** A voice preview; only one plays at a time. */
export interface VoicePreview {
  readonly voiceId: string | null
  readonly state: 'silent' | 'loading' | 'playing'
  readonly problem: { readonly voiceId: string; readonly error: Error } | null
  /** Plays or stops a voice. */
  toggle(voiceId: string): void
  stop(): void
}

type Heard = Pick<VoicePreview, 'voiceId' | 'state' | 'problem'>
const SILENCE: Heard = { voiceId: null, state: 'silent', problem: null }

/** Plays voice previews. Playback stops when the component unmounts. */
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
        // The page only plays audio from this host, so the server fetches vendor previews.
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

/** Plays audio. Resolves when playback ends or stops. */
async function playSound(sound: Blob, signal: AbortSignal, onPlaying: () => void): Promise<void> {
  const address = URL.createObjectURL(sound)
  const audio = new Audio(address)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Audio that stops during start-up still emits `playing`.
  audio.addEventListener('playing', () => !signal.aborted && onPlaying(), { once: true })
  audio.addEventListener('ended', () => resolve())
  audio.addEventListener('error', () => reject(createUnplayableProblem()))
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

const createUnplayableProblem = (): Problem =>
  new Problem('The browser cannot play this preview. Try another browser.', { code: 'unreadable' })

const toProblem = (error: unknown): Problem => (error instanceof Problem ? error : createUnplayableProblem())
