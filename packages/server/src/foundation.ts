import type {
  Clock,
  CodeRunner,
  CustomLlmClient,
  HttpToolClient,
  MakeId,
  McpClient,
  Random,
} from '@parley/engine/ports'
import type { AccessService } from './features/access/access-service.ts'
import type { Passwords } from './features/access/bounded-passwords.ts'
import type { ReadTxtRecords } from './features/branding/branding-ports.ts'
import type { VoiceClassifiers } from './features/calls/live/live-ports.ts'
import type { CompletionDependencies } from './features/chats/completion-service.ts'
import type { RedactionRunner } from './features/endings/redaction-tasks.ts'
import type { DocumentPreparer, Embedder, WebPages } from './features/knowledge/knowledge-ports.ts'
import type { Retrieval } from './features/knowledge/retrieval/retrieval.ts'
import type { OperatorKeys } from './features/provider-keys/provider-keys.ts'
import type { VoiceDirectories } from './features/voices/voice-ports.ts'
import type { AllowedTargets, SendWebhook } from './features/webhooks/webhook-ports.ts'
import type { AccessWatch } from './kernel/access-watch.ts'
import type { AccountDirectory } from './kernel/account-directory.ts'
import type { AuditTrail } from './kernel/audit.ts'
import type { Background } from './kernel/background.ts'
import type { BlobStore } from './kernel/blobs.ts'
import type { Bus } from './kernel/bus.ts'
import type { Database } from './kernel/database.ts'
import type { JobQueue } from './kernel/jobs.ts'
import type { Leases } from './kernel/leases.ts'
import type { Logger } from './kernel/logger.ts'
import type { Nodes } from './kernel/nodes.ts'
import type { ProviderKeys } from './kernel/provider-keys.ts'
import type { Secrets } from './kernel/secrets.ts'
import type { SharedClock } from './kernel/shared-clock.ts'
import type { SharedFailures } from './kernel/shared-limits.ts'
import type { Wheel } from './media/wheel.ts'
import type { WorkspaceModels } from './providers/models/workspace-models.ts'
import type { SpeechProviders } from './providers/speech/speech-providers.ts'

/** What the features stand on. */
export interface Foundation extends Pick<CompletionDependencies, 'costOf' | 'onTurnEnd'> {
  readonly database: Database
  readonly clock: Clock
  readonly sharedClock: SharedClock
  readonly makeId: MakeId
  readonly makeUuid: () => string
  readonly randomBytes: (size: number) => Uint8Array
  readonly background: Background
  readonly secrets: Secrets
  readonly bus: Bus
  readonly nodes: Nodes
  /** Failed logins of all nodes; null where each counts its own. */
  readonly sharedFailures: SharedFailures | null
  readonly access: AccessService
  readonly accessWatch: AccessWatch
  readonly readAccounts: () => Promise<AccountDirectory>
  readonly audit: AuditTrail
  readonly passwords: Passwords
  /** A login of the dashboard ends after so long without a request. */
  readonly sessionIdleMs: number
  readonly operatorKeys: OperatorKeys
  /** The operator's models and those that stored keys open. */
  readonly workspaceModels: (keys: ProviderKeys) => WorkspaceModels
  readonly voiceDirectories: VoiceDirectories
  readonly toolClients: (secretsFor: (workspaceId: number) => Promise<readonly string[]>) => {
    forWorkspace(workspaceId: number): HttpToolClient
  }
  readonly code: { forWorkspace(workspaceId: number): CodeRunner }
  /** Posts to customers' addresses, private ones excepted. */
  readonly send: SendWebhook
  readonly readTxtRecords: ReadTxtRecords
  /** Which addresses customers may have called. */
  readonly targets: AllowedTargets
  readonly onDeliveriesWritten: (listener: () => void) => () => void
  readonly jobs: JobQueue
  readonly logger: Logger
  readonly logError: (name: string, error: unknown) => void
  readonly version: string
  readonly mcp: McpClient
  readonly customLlm: CustomLlmClient
  readonly documents: DocumentPreparer
  readonly pages: WebPages
  /** Null: knowledge bases are searched by words alone. */
  readonly embedder: Embedder | null
  readonly knowledge: Retrieval
  /** Redacts conversations in threads. */
  readonly redaction: RedactionRunner
  /** USD; null when the price is not known, or what it is counted by. */
  readonly speechCostOf: (
    model: string,
    usage: { readonly seconds: number | null; readonly characters: number | null },
  ) => number | null
  /** Who speaks and listens: the operator's providers and those that stored keys open. */
  readonly speechProviders: (keys: ProviderKeys) => SpeechProviders
  /** Voices of the operator's own speech server. */
  readonly speechVoices: { readonly voices: readonly string[] }
  /** Loads the built-in voices. */
  readonly warmSpeech: () => void
  readonly voiceClassifiers: () => Promise<VoiceClassifiers>
  /** Paces all calls of this process. */
  readonly wheel: Wheel
  readonly blobs: BlobStore
  readonly leases: Leases
  readonly random: Random
  readonly firstTokenTimeoutMs: number
  readonly idleTokenTimeoutMs: number
  /** Where people reach this server, without a slash at the end. */
  readonly baseUrl: () => string
  /** Host of `BASE_URL`; null when it is not set. */
  readonly publicHost: string | null
}
