import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock, type SteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startVoiceServer, VOICE_KEY, type VoiceServer } from '../../../../../testing/voice-server/voice-server.ts'
import type { VendorKey } from '../../features/vendor-keys/vendor-key-store.ts'
import type { VoiceDirectories } from '../../features/voices/voice-ports.ts'
import { createGuardedClient } from '../../platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createVoiceDirectories } from './voice-directories.ts'

export interface VoiceSetup extends AsyncDisposable {
  readonly server: VoiceServer
  readonly clock: SteppedClock
  readonly directories: VoiceDirectories
  /** Operator key with the address of the server. */
  readonly key: VendorKey
}

/** Creates voice directories that use a scripted server. `allowStored` lets the guarded client reach its address. */
export async function setUpVoices({ allowStored = false } = {}): Promise<VoiceSetup> {
  const server = await startVoiceServer()
  const clock = createSteppedClock()
  const createClient = (allowPrivateTargets: readonly string[]) =>
    createGuardedClient({
      clock,
      policy: createTargetPolicy({ allowPrivateTargets }),
      resolve: async () => [],
      makeConnector: createLoopbackConnector,
    })
  const target = `127.0.0.1:${server.port}`
  const direct = createClient([target])
  const guarded = createClient(allowStored ? [target] : [])
  const directories = createVoiceDirectories({
    sendDirect: direct.request,
    sendGuarded: guarded.request,
    clock,
    version: '1.2.3',
  })
  return {
    server,
    clock,
    directories,
    key: { apiKey: VOICE_KEY, baseUrl: server.url, isStored: false, isShared: true },
    async [Symbol.asyncDispose]() {
      await Promise.all([direct.close(), guarded.close()])
      await server.close()
    },
  }
}
