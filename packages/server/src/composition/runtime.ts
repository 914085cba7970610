import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock, MakeId, Random } from '@parley/engine/ports'
import type { Config } from '../config.ts'
import { type Background, createBackground } from '../kernel/work/background.ts'
import { createLogger, type ProcessLogger } from '../platform/logger.ts'
import { randomFraction, randomId, systemClock } from '../platform/system.ts'

/** Process services: time, ids, randomness, log and background work. */
export interface Runtime {
  readonly version: string
  readonly clock: Clock
  readonly makeId: MakeId
  readonly makeUuid: () => string
  /** Returns cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly random: Random
  readonly logger: ProcessLogger
  readonly logError: (name: string, error: unknown) => void
  readonly background: Background
}

export function createRuntime({ logLevel }: Pick<Config, 'logLevel'>, version: string): Runtime {
  const clock = systemClock
  const logger = createLogger(logLevel)
  const logError = (name: string, error: unknown): void =>
    logger.error({ work: name, cause: error }, 'background work failed')
  const background = createBackground({ clock, logError })
  return {
    version,
    clock,
    makeId: randomId,
    makeUuid: randomUUID,
    randomBytes,
    random: randomFraction,
    logger,
    logError,
    background,
  }
}

/** Public address of this server. */
export interface Address {
  /** Returns the URL without a trailing slash. Empty until the server listens, unless configured. */
  readonly getBaseUrl: () => string
  /** Lower-case host of `BASE_URL`; null if not set. */
  readonly publicHost: string | null
  readonly isPublicHttps: boolean
  /** Sets the listening address, which is used if `BASE_URL` is not set. */
  setListeningUrl(url: string): void
}

export function createAddress({ baseUrl }: Pick<Config, 'baseUrl'>): Address {
  const publicUrl = baseUrl === undefined ? null : new URL(baseUrl)
  let address = baseUrl ?? ''
  return {
    getBaseUrl: () => address,
    publicHost: publicUrl?.host.toLowerCase() ?? null,
    isPublicHttps: publicUrl?.protocol === 'https:',
    setListeningUrl(url) {
      address = baseUrl ?? url
    },
  }
}
