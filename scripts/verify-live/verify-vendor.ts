import type { Clock } from '../../packages/engine/src/ports.ts'
import { createModelDispatcher } from '../../packages/server/src/integrations/models/model-dispatcher.ts'
import { createGuardedSocketOpener } from '../../packages/server/src/platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../../packages/server/src/platform/outbound/target-policy.ts'
import { WRONG_KEY } from './check.ts'
import { RecordingDispatcher, recordSockets } from './recording-clients.ts'
import { type CheckResult, type RunBudget, type RunOptions, runChecks } from './run-checks.ts'
import { SENT_TEXTS } from './spoken-texts.ts'
import { speakSentence } from './transcriber-checks.ts'
import { VENDORS, type VendorId } from './vendors.ts'
import { WireLog } from './wire-log.ts'

export interface VerifyOptions extends Pick<RunOptions, 'onResult'> {
  readonly vendor: VendorId
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly logFile: string
  readonly clock: Clock
  readonly model?: string | undefined
  readonly voice?: string | undefined
  /** Time between two frames of audio, 20 ms in a call. */
  readonly frameIntervalMs?: number
  /** Speech for transcribers, if it exists already. */
  readonly spokenSentence?: Promise<Int16Array>
}

/** Returns a sentence about a missing key or an invalid address, or null. */
export function findSettingProblem(vendor: VendorId, environment: VerifyOptions['environment']): string | null {
  const { keyName, baseUrlName, defaultBaseUrl } = VENDORS[vendor]
  if ((environment[keyName] ?? '') === '') return `Set ${keyName} to your key to verify ${vendor}.`
  return URL.canParse(environment[baseUrlName] ?? defaultBaseUrl) ? null : `${baseUrlName} must be a URL.`
}

/** Runs all checks of a vendor. The environment must contain its key. */
export async function verifyVendor(options: VerifyOptions, budget: RunBudget): Promise<readonly CheckResult[]> {
  const { vendor, environment, clock, logFile, onResult, frameIntervalMs = 20 } = options
  const { keyName, baseUrlName, defaultBaseUrl, createChecks } = VENDORS[vendor]
  const apiKey = environment[keyName] ?? ''
  const baseUrl = environment[baseUrlName] ?? defaultBaseUrl
  const log = new WireLog({ file: logFile, clock, hiddenTexts: [apiKey, WRONG_KEY, ...SENT_TEXTS] })
  const http = createModelDispatcher()
  const { host, hostname } = new URL(baseUrl)
  // The operator chose the address, so it can be private.
  const policy = createTargetPolicy({ allowPrivateTargets: [host, hostname] })
  let { spokenSentence } = options
  const sockets = recordSockets(createGuardedSocketOpener({ clock, policy }), log)
  const access = {
    http: new RecordingDispatcher(http, log),
    openSocket: sockets.openSocket,
    clock,
    baseUrl,
    apiKey,
    log,
    model: options.model ?? null,
    voice: options.voice ?? null,
    frameIntervalMs,
    getSpokenSentence: () => {
      spokenSentence ??= speakSentence(clock)
      return spokenSentence
    },
  }
  try {
    return await runChecks(createChecks(access), budget, { clock, log, onResult })
  } finally {
    sockets.terminateAll()
    log.close()
    await http.destroy()
  }
}
