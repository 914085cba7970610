import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import { CARTESIA_MODEL, createCartesiaSynthesizer } from './cartesia/cartesia-synthesizer.ts'
import { createDeepgramSynthesizer } from './deepgram/deepgram-synthesizer.ts'
import { createDeepgramTranscriber } from './deepgram/deepgram-transcriber.ts'
import { createElevenLabsSynthesizer, DEFAULT_ELEVENLABS_MODEL } from './elevenlabs/elevenlabs-synthesizer.ts'
import { createElevenLabsTranscriber } from './elevenlabs/elevenlabs-transcriber.ts'
import { createOpenAiSynthesizer } from './openai/openai-synthesizer.ts'
import { createOpenAiTranscriber } from './openai/openai-transcriber.ts'
import type { SpeechEndpoint, SpeechVendorId } from './speech-endpoints.ts'
import type { SpeechSocketTarget } from './vendor-socket.ts'

interface SpeechClientOptions extends SpeechEndpoint {
  readonly clock: Clock
}

/** Selects a transcription model. */
interface RecognitionRequest {
  readonly mode: 'fast' | 'accurate'
  /** Language tag such as `en-US`. */
  readonly language: string
}

/** The services of a speech vendor, each null if the vendor does not offer it. */
interface SpeechVendor {
  readonly synthesis: {
    /** Model for agents without `voice_model`. Empty if the voice determines the model, or the operator's settings name it. */
    readonly model: string
    create(options: SpeechClientOptions, model: string): Synthesizer
  } | null
  readonly transcription: {
    /** Selects the model. Not used for the operator's server, because its settings name the model. */
    selectModel(request: RecognitionRequest): string
    create(options: SpeechClientOptions, model: string): Transcriber
  } | null
}

/** All vendors, in fallback order of transcription: vendors that transcribe a stream come first, the operator's server last. */
export const SPEECH_VENDORS: Readonly<Record<SpeechVendorId, SpeechVendor>> = {
  deepgram: {
    synthesis: {
      model: '',
      create: (options, model) =>
        createDeepgramSynthesizer({ ...toSocketTarget(options), ...(model !== '' && { model }) }),
    },
    transcription: {
      // Flux detects the end of a turn, but its fastest model understands only English.
      selectModel: ({ mode, language }) =>
        mode === 'fast' && /^en(?:-|$)/i.test(language) ? 'flux-general-en' : 'nova-3',
      create: (options, model) => createDeepgramTranscriber({ ...toSocketTarget(options), model }),
    },
  },
  elevenlabs: {
    synthesis: {
      model: DEFAULT_ELEVENLABS_MODEL,
      create: (options, model) => createElevenLabsSynthesizer({ ...toSocketTarget(options), model }),
    },
    transcription: {
      selectModel: () => 'scribe_v2_realtime',
      create: (options, model) => createElevenLabsTranscriber({ ...toSocketTarget(options), model }),
    },
  },
  cartesia: {
    synthesis: {
      model: CARTESIA_MODEL,
      create: (options, model) => createCartesiaSynthesizer({ ...toSocketTarget(options), model }),
    },
    transcription: null,
  },
  openai: {
    synthesis: { model: 'gpt-4o-mini-tts', create: createServerVoice },
    transcription: {
      selectModel: ({ mode }) => (mode === 'fast' ? 'gpt-4o-mini-transcribe' : 'gpt-4o-transcribe'),
      create: createServerTranscriber,
    },
  },
  speech: {
    synthesis: { model: '', create: createServerVoice },
    transcription: { selectModel: () => '', create: createServerTranscriber },
  },
}

function createServerVoice(options: SpeechClientOptions, model: string): Synthesizer {
  return createOpenAiSynthesizer({ ...options, provider: options.vendor, model })
}

function createServerTranscriber(options: SpeechClientOptions, model: string): Transcriber {
  return createOpenAiTranscriber({ ...options, provider: options.vendor, model })
}

function toSocketTarget({ openSocket, clock, baseUrl, apiKey = '' }: SpeechClientOptions): SpeechSocketTarget {
  return { openSocket, clock, baseUrl, apiKey }
}
