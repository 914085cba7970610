import { createHash } from 'node:crypto'
import type { PreviewVoiceBody, Voice } from '@parley/contract/voice'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { VoiceCatalog } from './voice-catalog.ts'
import { previewFailed } from './voice-errors.ts'
import type { Preview, PreviewSpeaker } from './voice-ports.ts'

/** What a voice says that was given nothing to say, by language. */
const SENTENCES: Readonly<Record<string, string>> = {
  en: 'Hello, this is how I sound. What can I do for you today?',
  de: 'Hallo, so klinge ich. Was kann ich heute für Sie tun?',
  fr: 'Bonjour, voici ma voix. Que puis-je faire pour vous aujourd’hui ?',
  es: 'Hola, así sueno. ¿En qué puedo ayudarle hoy?',
  it: 'Buongiorno, questa è la mia voce. Come posso aiutarla oggi?',
  pt: 'Olá, esta é a minha voz. Em que posso ajudar hoje?',
  nl: 'Hallo, zo klink ik. Wat kan ik vandaag voor u doen?',
  pl: 'Dzień dobry, tak brzmi mój głos. W czym mogę dziś pomóc?',
  sv: 'Hej, så här låter jag. Vad kan jag hjälpa dig med i dag?',
  da: 'Hej, sådan lyder jeg. Hvad kan jeg hjælpe dig med i dag?',
  tr: 'Merhaba, sesim böyle. Bugün size nasıl yardımcı olabilirim?',
  ja: 'こんにちは。これが私の声です。本日はどのようなご用件でしょうか。',
  zh: '您好，这就是我的声音。今天有什么可以帮您？',
}

const ENGLISH = 'en'

export interface VoicePreviewDependencies {
  readonly catalog: Pick<VoiceCatalog, 'get' | 'resolveVoice' | 'hasVendorVoices'>
  readonly speaker: PreviewSpeaker
  /** Bytes of sound that are kept so that hearing it again costs nothing. */
  readonly cacheBytes?: number
}

/** What was spoken, and the name of exactly this sound. */
export interface SpokenPreview {
  readonly wav: Buffer
  readonly version: string
}

/** Lets voices of a workspace be heard. */
export interface VoicePreviewService {
  /**
   * Throws `not_found` for a voice that the workspace does not have, and the provider's refusals, also that it is not connected:
   * then nobody knows whether it has the voice.
   */
  preview(workspaceId: number, voiceId: string, body: PreviewVoiceBody): Promise<SpokenPreview>
}

/** Some sixty previews of the usual length. */
const CACHE_BYTES = 16 * 1024 * 1024
const DEFAULT_LANGUAGE = 'en-US'

export function createVoicePreviewService({
  catalog,
  speaker,
  cacheBytes = CACHE_BYTES,
}: VoicePreviewDependencies): VoicePreviewService {
  /** The one asked for last is last: a Map keeps the order of insertion. */
  const cache = new Map<string, Buffer>()
  /** What is being spoken now: who asks for the same meanwhile waits for it. */
  const inFlight = new Map<string, Promise<Buffer>>()
  let cachedBytes = 0

  function addToCache(version: string, wav: Buffer): void {
    cachedBytes += wav.length - (cache.get(version)?.length ?? 0)
    cache.delete(version)
    cache.set(version, wav)
    for (const [oldest, { length }] of cache) {
      if (cachedBytes <= cacheBytes) break
      cache.delete(oldest)
      cachedBytes -= length
    }
  }

  async function speak(workspaceId: number, preview: Preview, version: string): Promise<Buffer> {
    const outcome = await speaker.preview(workspaceId, preview)
    if (!outcome.ok) throw previewFailed(outcome)
    addToCache(version, outcome.wav)
    return outcome.wav
  }

  return {
    async preview(workspaceId, voiceId, body) {
      const preview = await planPreview(catalog, { workspaceId, voiceId, body })
      // Each workspace for itself: another one may not be allowed to use the provider.
      const version = createHash('sha256')
        .update(JSON.stringify([workspaceId, preview]))
        .digest('base64url')
      const known = cache.get(version)
      if (known !== undefined) {
        addToCache(version, known)
        return { wav: known, version }
      }
      const running = inFlight.get(version) ?? speak(workspaceId, preview, version)
      inFlight.set(version, running)
      try {
        return { wav: await running, version }
      } finally {
        inFlight.delete(version)
      }
    },
  }
}

/** What to speak. Throws `not_found` for a voice that the workspace does not have. */
async function planPreview(
  catalog: VoicePreviewDependencies['catalog'],
  { workspaceId, voiceId, body }: PreviewRequest,
): Promise<Preview> {
  const voice = await catalog.resolveVoice(workspaceId, voiceId)
  if (voice === null) throw notFound('voice', voiceId)
  const listed = await findListed(catalog, workspaceId, voiceId)
  if (listed === null && (await catalog.hasVendorVoices(workspaceId, voice.provider))) throw notFound('voice', voiceId)
  const language = body.language ?? listed?.language ?? DEFAULT_LANGUAGE
  return {
    voice,
    language,
    text: body.text ?? previewSentence(language),
    model: body.voiceModel,
    speed: body.voiceSpeed,
    temperature: body.voiceTemperature,
    emotion: body.voiceEmotion,
  }
}

interface PreviewRequest {
  readonly workspaceId: number
  readonly voiceId: string
  readonly body: PreviewVoiceBody
}

/** `null` for a voice that the catalogue does not have now. */
async function findListed(
  catalog: Pick<VoiceCatalog, 'get'>,
  workspaceId: number,
  voiceId: string,
): Promise<Voice | null> {
  try {
    return await catalog.get(workspaceId, voiceId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** A sentence in the language of a tag such as `de-AT`; in English for one that has none here. */
function previewSentence(language: string): string {
  const [base = ENGLISH] = language.toLowerCase().split('-')
  return (Object.hasOwn(SENTENCES, base) ? SENTENCES[base] : SENTENCES[ENGLISH]) ?? ''
}
