import type { Clock } from '@parley/engine/ports'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import type { PreviewOutcome, PreviewSpeaker } from '../../features/voices/public.ts'
import { SampleBuffer, toWav } from './sample-buffer.ts'
import type { SpeechVendors } from './speech-vendors.ts'

const RATE_HZ = 16_000
/** Short, because a person is waiting. */
const DEADLINE_MS = 15_000
/** Maximum length of the audio, about twice the length of the longest text. */
const MAX_SECONDS = 90

/** Creates a speaker that renders voice previews as WAV files. */
export function createPreviewSpeaker(speech: SpeechVendors, clock: Clock): PreviewSpeaker {
  return {
    async preview(workspaceId, { voice, text, language, model, speed, temperature, emotion }) {
      const selection = (await speech.forWorkspace(workspaceId)).selectVoices([voice], { model, language })
      const [agentVoice] = selection.voices
      // Later messages concern the fallback voice.
      const [unavailableMessage = ''] = selection.standIns
      const isRequestedVoice = voice.provider === 'builtin' || !agentVoice.synthesizer.name.startsWith('builtin/')
      if (!isRequestedVoice) return { ok: false, reason: 'not-connected', message: unavailableMessage }
      const abortController = new AbortController()
      const buffer = new SampleBuffer(RATE_HZ * 4)
      let outcome: PreviewOutcome | null = null
      const cancelDeadline = clock.after(DEADLINE_MS, () => {
        outcome = {
          ok: false,
          reason: 'timeout',
          message: `The voice did not speak within ${DEADLINE_MS / 1000} seconds.`,
        }
        abortController.abort()
      })
      const stream = agentVoice.synthesizer.synthesize({
        ...{ text, language, speed, temperature, emotion, voice: agentVoice.voice, model: agentVoice.model },
        rateHz: RATE_HZ,
        signal: abortController.signal,
      })
      for await (const event of stream) {
        if (event.type === 'failed') outcome = toOutcome(event.failure)
        if (event.type !== 'audio') continue
        buffer.append(event.samples)
        if (buffer.length > RATE_HZ * MAX_SECONDS) {
          outcome = { ok: false, reason: 'failed', message: 'The voice did not finish.' }
          abortController.abort()
        }
      }
      cancelDeadline()
      return outcome ?? { ok: true, wav: toWav(buffer.getSamples(), RATE_HZ) }
    },
  }
}

function toOutcome({ kind, message }: SpeechFailure): PreviewOutcome {
  if (kind === 'unauthorized') return { ok: false, reason: 'key-unusable', message }
  return { ok: false, reason: kind === 'timeout' ? 'timeout' : 'failed', message }
}
