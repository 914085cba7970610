import { createOpenAiModel } from '../../packages/server/src/integrations/models/openai-wire.ts'
import { createOpenAiSynthesizer } from '../../packages/server/src/integrations/speech/openai/openai-synthesizer.ts'
import { createOpenAiTranscriber } from '../../packages/server/src/integrations/speech/openai/openai-transcriber.ts'
import { joinUrl } from '../../packages/server/src/integrations/vendor-exchange.ts'
import { type Check, type VendorAccess, verify } from './check.ts'
import { createModelChecks } from './model-checks.ts'
import { readRawEvents } from './raw-requests.ts'
import { COUNT_PROMPT } from './spoken-texts.ts'
import { createSynthesizerChecks } from './synthesizer-checks.ts'
import { createTranscriberChecks } from './transcriber-checks.ts'

const MODEL = 'gpt-4.1-mini'
const SPEECH_MODEL = 'gpt-4o-mini-tts'
const TRANSCRIPTION_MODEL = 'gpt-4o-mini-transcribe'
const VOICE = 'alloy'

/** Creates the checks of chat completions, speech and transcription. */
export function createOpenAiChecks(access: VendorAccess): readonly Check[] {
  const { http, clock, baseUrl } = access
  const model = access.model ?? MODEL
  const target = { http, clock, baseUrl, provider: 'openai' }
  return [
    ...createModelChecks({
      apiKey: access.apiKey,
      model,
      create: (name, apiKey) => createOpenAiModel({ ...target, name: `openai/${name}`, model: name, apiKey }),
    }),
    {
      name: 'the usage comes in a chunk without choices, and "[DONE]" ends the stream',
      costUsd: 0.005,
      run: (signal) => verifyStreamEnd(access, model, signal),
    },
    ...createSynthesizerChecks({
      apiKey: access.apiKey,
      voice: access.voice ?? VOICE,
      sentenceUsd: 0.005,
      hasWordTimes: false,
      unknownVoice: 'parley-no-such-voice',
      create: (apiKey) => createOpenAiSynthesizer({ ...target, model: SPEECH_MODEL, apiKey }),
    }),
    ...createTranscriberChecks({
      ...access,
      label: 'transcription',
      sentenceUsd: 0.002,
      create: (apiKey) => createOpenAiTranscriber({ ...target, model: TRANSCRIPTION_MODEL, apiKey }),
    }),
  ]
}

async function verifyStreamEnd(access: VendorAccess, model: string, signal: AbortSignal): Promise<void> {
  const body = {
    model,
    messages: [{ role: 'user', content: COUNT_PROMPT }],
    stream: true,
    stream_options: { include_usage: true },
  }
  const headers = { authorization: `Bearer ${access.apiKey}` }
  const events = await readRawEvents(
    access,
    { url: joinUrl(access.baseUrl, '/chat/completions'), headers, body },
    signal,
  )
  verify(events.at(-1)?.data === '[DONE]', 'The stream does not end with "[DONE]".')
  const usageChunk = JSON.parse(events.at(-2)?.data ?? 'null') as { choices?: unknown; usage?: unknown } | null
  verify(Array.isArray(usageChunk?.choices) && usageChunk.choices.length === 0, 'The last chunk has choices.')
  verify(typeof usageChunk.usage === 'object' && usageChunk.usage !== null, 'The last chunk has no usage.')
}
