import { createHash } from 'node:crypto'
import type { PreviewVoiceBody, VoiceProvider } from '@parley/contract/voice'
import { AppError, inUse, invalidField, notFound, type ResourceUser } from '../../kernel/errors.ts'
import type { VoiceCatalog } from './voice-catalog.ts'
import type { CatalogVoice, LoadSample, Preview, PreviewOutcome, PreviewSpeaker, VoiceFailure } from './voice-ports.ts'

/** The display name of each vendor and the environment variable for its API key. */
const VENDORS: Readonly<Record<VoiceProvider, { readonly label: string; readonly envVariable: string }>> = {
  elevenlabs: { label: 'ElevenLabs', envVariable: 'ELEVENLABS_API_KEY' },
  cartesia: { label: 'Cartesia', envVariable: 'CARTESIA_API_KEY' },
}

/** Builds the error for a workspace without a key for the vendor. */
export function createVendorNotConfiguredError(provider: VoiceProvider): AppError {
  const { label, envVariable } = VENDORS[provider]
  return new AppError(
    'provider_not_configured',
    `There is no key for ${label}. Store one at /api/provider-keys, or set ${envVariable} on the server.`,
  )
}

/** Converts a vendor failure to an error. */
export function toVendorError(provider: VoiceProvider, { reason, message }: VoiceFailure): AppError {
  switch (reason) {
    case 'key-unusable': {
      const { envVariable } = VENDORS[provider]
      const remedy = `Store another key at /api/provider-keys, or set ${envVariable} on the server.`
      return new AppError('provider_not_configured', `${message} ${remedy}`)
    }
    case 'unknown-voice':
      return invalidField('providerVoiceId', message)
    case 'failed':
      return new AppError('provider_error', message)
    case 'timeout':
      return new AppError('provider_timeout', message)
  }
}

export function createVoiceAddedError(provider: VoiceProvider, providerVoiceId: string): AppError {
  const { label } = VENDORS[provider]
  return new AppError('id_taken', `The workspace already has the voice "${providerVoiceId}" from ${label}.`)
}

export function createBuiltInVoiceError(voiceId: string): AppError {
  return new AppError('forbidden', `Voice "${voiceId}" is built in and cannot be changed or removed.`)
}

export function createVoiceInUseError(voiceId: string, users: readonly ResourceUser[]): AppError {
  return inUse(`Voice "${voiceId}"`, users, 'Delete those agents or give them another voice first.')
}

/** Converts a failed preview to an error. */
function toPreviewError({ reason, message }: Omit<Extract<PreviewOutcome, { ok: false }>, 'ok'>): AppError {
  switch (reason) {
    case 'not-connected':
    case 'key-unusable':
      return new AppError('provider_not_configured', message)
    case 'failed':
      return new AppError('provider_error', message)
    case 'timeout':
      return new AppError('provider_timeout', message)
  }
}

/** Default preview text by language. */
const PREVIEW_SENTENCES: Readonly<Record<string, string>> = {
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

interface VoicePreviewDependencies {
  readonly catalog: Pick<VoiceCatalog, 'get' | 'resolveVoice' | 'hasVendorVoices'>
  readonly speaker: PreviewSpeaker
  readonly loadSample: LoadSample
  /** Size of the preview cache. */
  readonly maxCacheBytes?: number
}

/** The audio and its ETag. */
interface PreviewAudio {
  readonly bytes: Buffer
  readonly contentType: string
  readonly version: string
}

/** Synthesizes previews of a workspace's voices. */
export interface VoicePreviewService {
  /**
   * Synthesizes a preview. Throws `not_found` if the workspace does not have the voice, `provider_not_configured` if the vendor
   * is not connected, or another vendor error.
   */
  preview(workspaceId: number, voiceId: string, body: PreviewOptions): Promise<PreviewAudio>
  /** Returns the sample that replaces the voice's preview, or a default preview. Throws the same errors. */
  getPreview(workspaceId: number, voiceId: string): Promise<PreviewAudio>
}

type PreviewOptions = Omit<PreviewVoiceBody, 'workspaceId'>

const DEFAULT_OPTIONS: PreviewOptions = {
  ...{ text: null, language: null, voiceModel: null, voiceSpeed: 1, voiceTemperature: 1, voiceEmotion: null },
}

/** Holds about 60 typical previews. */
const CACHE_BYTES = 16 * 1024 * 1024
const DEFAULT_LANGUAGE = 'en-US'

export function createVoicePreviewService({
  catalog,
  speaker,
  loadSample,
  maxCacheBytes = CACHE_BYTES,
}: VoicePreviewDependencies): VoicePreviewService {
  /** Ordered from least to most recently used. A Map keeps insertion order. */
  const cache = new Map<string, Buffer>()
  /** Previews being synthesized. Concurrent requests share them. */
  const inFlight = new Map<string, Promise<Buffer>>()
  let cachedBytes = 0

  function addToCache(version: string, wav: Buffer): void {
    cachedBytes += wav.length - (cache.get(version)?.length ?? 0)
    cache.delete(version)
    cache.set(version, wav)
    for (const [oldestVersion, { length }] of cache) {
      if (cachedBytes <= maxCacheBytes) break
      cache.delete(oldestVersion)
      cachedBytes -= length
    }
  }

  async function synthesizePreview(workspaceId: number, preview: Preview, version: string): Promise<Buffer> {
    const outcome = await speaker.preview(workspaceId, preview)
    if (!outcome.ok) throw toPreviewError(outcome)
    addToCache(version, outcome.wav)
    return outcome.wav
  }

  async function loadPreviewSample(url: string): Promise<PreviewAudio> {
    const outcome = await loadSample(url)
    if (!outcome.ok) throw toPreviewError(outcome)
    const { bytes, contentType } = outcome
    return { bytes, contentType, version: createHash('sha256').update(bytes).digest('base64url') }
  }

  const service: VoicePreviewService = {
    async getPreview(workspaceId, voiceId) {
      const url = (await findCatalogVoice(catalog, workspaceId, voiceId))?.playbackOverrideUrl ?? null
      return url === null ? await service.preview(workspaceId, voiceId, DEFAULT_OPTIONS) : await loadPreviewSample(url)
    },

    async preview(workspaceId, voiceId, body) {
      const preview = await planPreview(catalog, { workspaceId, voiceId, body })
      // The cache key includes the workspace, because other workspaces may not have access to the vendor.
      const version = createHash('sha256')
        .update(JSON.stringify([workspaceId, preview]))
        .digest('base64url')
      const cachedWav = cache.get(version)
      if (cachedWav !== undefined) {
        addToCache(version, cachedWav)
        return toPreviewAudio(cachedWav, version)
      }
      const pendingWav = inFlight.get(version) ?? synthesizePreview(workspaceId, preview, version)
      inFlight.set(version, pendingWav)
      try {
        return toPreviewAudio(await pendingWav, version)
      } finally {
        inFlight.delete(version)
      }
    },
  }
  return service
}

function toPreviewAudio(wav: Buffer, version: string): PreviewAudio {
  return { bytes: wav, contentType: 'audio/wav', version }
}

/** Decides what to synthesize. Throws `not_found` if the workspace does not have the voice. */
async function planPreview(
  catalog: VoicePreviewDependencies['catalog'],
  { workspaceId, voiceId, body }: PreviewRequest,
): Promise<Preview> {
  const voice = await catalog.resolveVoice(workspaceId, voiceId)
  if (voice === null) throw notFound('voice', voiceId)
  const catalogVoice = await findCatalogVoice(catalog, workspaceId, voiceId)
  if (catalogVoice === null && (await catalog.hasVendorVoices(workspaceId, voice.provider)))
    throw notFound('voice', voiceId)
  const language = body.language ?? catalogVoice?.language ?? DEFAULT_LANGUAGE
  return {
    voice,
    language,
    text: body.text ?? getPreviewSentence(language),
    model: body.voiceModel,
    speed: body.voiceSpeed,
    temperature: body.voiceTemperature,
    emotion: body.voiceEmotion,
  }
}

interface PreviewRequest {
  readonly workspaceId: number
  readonly voiceId: string
  readonly body: PreviewOptions
}

/** Finds a voice in the catalog, or returns null if the catalog does not contain the voice. */
async function findCatalogVoice(
  catalog: Pick<VoiceCatalog, 'get'>,
  workspaceId: number,
  voiceId: string,
): Promise<CatalogVoice | null> {
  try {
    return await catalog.get(workspaceId, voiceId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** Returns a sentence in the language of a tag such as `de-AT`, or in English for unknown languages. */
function getPreviewSentence(language: string): string {
  const [languageCode = ENGLISH] = language.toLowerCase().split('-')
  return (
    (Object.hasOwn(PREVIEW_SENTENCES, languageCode) ? PREVIEW_SENTENCES[languageCode] : PREVIEW_SENTENCES[ENGLISH]) ??
    ''
  )
}
