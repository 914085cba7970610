import type { Clock } from '../../packages/engine/src/ports.ts'
import type { ServiceSettings } from '../../packages/server/src/config.ts'
import type { KeyedVendor } from '../../packages/server/src/features/vendor-keys/public.ts'
import { DEFAULT_BASE_URLS } from '../../packages/server/src/integrations/models/default-base-urls.ts'
import { createModelDispatcher } from '../../packages/server/src/integrations/models/model-dispatcher.ts'
import { createGuardedSocketOpener } from '../../packages/server/src/platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../../packages/server/src/platform/outbound/target-policy.ts'
import { WRONG_KEY } from './check.ts'
import { RecordingDispatcher, recordSockets } from './recording-clients.ts'
import { type CheckResult, type RunBudget, type RunOptions, runChecks } from './run-checks.ts'
import { SENT_TEXTS } from './spoken-texts.ts'
import { speakSentence } from './transcriber-checks.ts'
import { VENDOR_CHECKS } from './vendors.ts'
import { WireLog } from './wire-log.ts'

export interface VerifyOptions extends Pick<RunOptions, 'onResult'> {
  readonly vendor: KeyedVendor
  readonly settings: ServiceSettings
  readonly logFile: string
  readonly clock: Clock
  readonly model?: string | undefined
  readonly voice?: string | undefined
  /** Time between two frames of audio, 20 ms in a call. */
  readonly frameIntervalMs?: number
  /** Speech for transcribers, if it exists already. */
  readonly spokenSentence?: Promise<Int16Array>
}

/** Runs all checks of a vendor. */
export async function verifyVendor(options: VerifyOptions, budget: RunBudget): Promise<readonly CheckResult[]> {
  const { vendor, settings, clock, logFile, onResult, frameIntervalMs = 20 } = options
  const { apiKey } = settings
  const baseUrl = settings.baseUrl ?? DEFAULT_BASE_URLS[vendor]
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
    return await runChecks(VENDOR_CHECKS[vendor](access), budget, { clock, log, onResult })
  } finally {
    sockets.terminateAll()
    log.close()
    await http.destroy()
  }
}
