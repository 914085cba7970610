import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import { createOpenAiSynthesizer } from './openai/openai-synthesizer.ts'
import { createOpenAiTranscriber } from './openai/openai-transcriber.ts'
import type { SpeechEndpoint, SpeechVendorId } from './speech-endpoints.ts'

export interface SpeechClientOptions extends SpeechEndpoint {
  readonly clock: Clock
  /** Requested model, or null for the vendor's default. */
  readonly model: string | null
}

/** A client can own connections, which `close` ends. */
export type SpeechClient<Port> = Port & { readonly close?: () => unknown }

/** The services of a speech vendor, each null if the vendor does not offer it. */
export interface SpeechVendor {
  readonly createSynthesizer: ((options: SpeechClientOptions) => SpeechClient<Synthesizer>) | null
  readonly createTranscriber: ((options: SpeechClientOptions) => SpeechClient<Transcriber>) | null
  /** Transcription models by `stt_mode`. */
  readonly transcriptionModels: { readonly fast: string; readonly accurate: string } | null
}

const DEFAULT_OPENAI_VOICE_MODEL = 'gpt-4o-mini-tts'
const OPENAI_TRANSCRIPTION_MODELS = { fast: 'gpt-4o-mini-transcribe', accurate: 'gpt-4o-transcribe' } as const

/** All vendors, in fallback order of transcription: vendors that transcribe a stream come first, the operator's server last. */
export const SPEECH_VENDORS: Readonly<Record<SpeechVendorId, SpeechVendor>> = {
  openai: {
    createSynthesizer: createOpenAiVoice,
    createTranscriber: createOpenAiRecognizer,
    transcriptionModels: OPENAI_TRANSCRIPTION_MODELS,
  },
  // The operator's settings name the models.
  speech: {
    createSynthesizer: createOpenAiVoice,
    createTranscriber: createOpenAiRecognizer,
    transcriptionModels: null,
  },
}

function createOpenAiVoice(options: SpeechClientOptions): Synthesizer {
  const { vendor, model } = options
  return createOpenAiSynthesizer({ ...options, provider: vendor, model: model ?? DEFAULT_OPENAI_VOICE_MODEL })
}

function createOpenAiRecognizer(options: SpeechClientOptions): Transcriber {
  const { vendor, model } = options
  return createOpenAiTranscriber({ ...options, provider: vendor, model: model ?? OPENAI_TRANSCRIPTION_MODELS.fast })
}
