import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Problem } from '../../lib/api/problem.ts'
import { requestBytes } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** State and controls of voice previews. Only one preview plays at a time. */
export interface VoicePreview {
  readonly voiceId: string | null
  readonly state: 'silent' | 'loading' | 'playing'
  readonly problem: { readonly voiceId: string; readonly error: Error } | null
  /** Plays or stops a voice. */
  toggle(voiceId: string): void
  /** Plays voices one after another. Stops at a voice that fails. */
  playAll(voiceIds: readonly string[]): void
  stop(): void
}

type PlaybackState = Pick<VoicePreview, 'voiceId' | 'state' | 'problem'>
const IDLE_PLAYBACK: PlaybackState = { voiceId: null, state: 'silent', problem: null }

/** Plays voice previews. Playback stops when the component unmounts. */
export function useVoicePreview(): VoicePreview {
  const workspaceId = useWorkspaceId()
  const [playback, setPlayback] = useState<PlaybackState>(IDLE_PLAYBACK)
  const currentController = useRef<AbortController | null>(null)

  const stop = useCallback(() => {
    currentController.current?.abort()
    currentController.current = null
    setPlayback(IDLE_PLAYBACK)
  }, [])

  const play = useCallback(
    async (voiceIds: readonly string[]) => {
      currentController.current?.abort()
      const controller = new AbortController()
      const { signal } = controller
      currentController.current = controller
      for (const voiceId of voiceIds) {
        setPlayback({ voiceId, state: 'loading', problem: null })
        try {
          // The page can only play audio from this host, so the server fetches samples and asks the vendors.
          const query = { workspaceId }
          const audio = await requestBytes('getVoicePreview', { path: { voiceId }, query }, { signal })
          await playAudio(audio, signal, () => setPlayback({ voiceId, state: 'playing', problem: null }))
        } catch (error) {
          if (!signal.aborted)
            setPlayback({ voiceId: null, state: 'silent', problem: { voiceId, error: toProblem(error) } })
          return
        }
        if (signal.aborted) return
      }
      setPlayback(IDLE_PLAYBACK)
    },
    [workspaceId],
  )

  useEffect(() => () => currentController.current?.abort(), [])
  return useMemo(
    () => ({
      ...playback,
      stop,
      toggle: (voiceId) => (playback.voiceId === voiceId ? stop() : void play([voiceId])),
      playAll: (voiceIds) => void play(voiceIds),
    }),
    [playback, stop, play],
  )
}

/** Plays audio. Resolves when playback ends or stops. */
async function playAudio(blob: Blob, signal: AbortSignal, onPlaying: () => void): Promise<void> {
  const url = URL.createObjectURL(blob)
  const audio = new Audio(url)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // The audio emits `playing` even if it was stopped while loading.
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
    URL.revokeObjectURL(url)
  }
}

const createUnplayableProblem = (): Problem =>
  new Problem('The browser cannot play this preview. Try another browser.', { code: 'unreadable' })

const toProblem = (error: unknown): Problem => (error instanceof Problem ? error : createUnplayableProblem())
