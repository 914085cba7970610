import { DATA_STORAGE_SETTINGS, type DataStorageSetting, type PiiCategory } from '@parley/contract/after-conversation'
import type { AfterConversation } from '../../kernel/pinned-agent.ts'

/** What is stored of a chat and for how long. A chat carries its own, so that deleting its agent makes nothing public. */
export interface StoragePolicy {
  readonly setting: DataStorageSetting
  /** Of what counts as personal where the setting leaves that out. */
  readonly categories: readonly PiiCategory[]
  /** Days after its end when the chat is deleted; `null` keeps it. */
  readonly retentionDays: number | null
}

const EVERYTHING: StoragePolicy = { setting: 'everything', categories: [], retentionDays: null }

export function policyOf({ storage, piiCategories, retentionDays }: AfterConversation): StoragePolicy {
  return { setting: storage, categories: piiCategories, retentionDays }
}

/** As chats store it. */
export function readPolicy(stored: string | null): StoragePolicy | null {
  return stored === null ? null : (JSON.parse(stored) as StoragePolicy)
}

/** Whether `setting` keeps less than `other`. */
export function isStricter(setting: DataStorageSetting, other: DataStorageSetting): boolean {
  return DATA_STORAGE_SETTINGS.indexOf(setting) > DATA_STORAGE_SETTINGS.indexOf(other)
}

/** Of several agents that held a chat the strictest wins: least is kept, most counts as personal, for the shortest time. */
export function strictestOf(policies: readonly StoragePolicy[]): StoragePolicy {
  return policies.reduce(stricterOf, EVERYTHING)
}

function stricterOf(one: StoragePolicy, other: StoragePolicy): StoragePolicy {
  const days = [one.retentionDays, other.retentionDays].filter((value) => value !== null)
  return {
    setting: isStricter(other.setting, one.setting) ? other.setting : one.setting,
    categories: categoriesOf(one, other),
    retentionDays: days.length === 0 ? null : Math.min(...days),
  }
}

/** Categories mean something only beside the setting that uses them, unless nobody has that. */
function categoriesOf(one: StoragePolicy, other: StoragePolicy): readonly PiiCategory[] {
  const using = [one, other].filter(({ setting }) => setting === 'everything_except_pii')
  const from = using.length === 0 ? [one, other] : using
  return [...new Set(from.flatMap(({ categories }) => categories))]
}
