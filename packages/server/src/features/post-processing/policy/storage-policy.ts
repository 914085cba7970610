import {
  DATA_STORAGE_SETTINGS,
  type DataStorageSetting,
  PII_CATEGORIES,
  type PiiCategory,
} from '@parley/contract/after-conversation'
import { invalidField } from '../../../kernel/errors.ts'
import type { PostProcessingSettings } from '../../agents/public.ts'

/** What is stored of a conversation and for how long. It carries its own, so that deleting its agent makes nothing public. */
export interface StoragePolicy {
  readonly setting: DataStorageSetting
  /** Of what counts as personal where the setting leaves that out. */
  readonly categories: readonly PiiCategory[]
  /** Days after its end when the conversation is deleted; `null` keeps it. */
  readonly retentionDays: number | null
}

/** Keeps all of it. */
export const STORE_EVERYTHING: StoragePolicy = { setting: 'everything', categories: [], retentionDays: null }

export function policyOf({ storage, piiCategories, retentionDays }: PostProcessingSettings): StoragePolicy {
  return { setting: storage, categories: piiCategories, retentionDays }
}

/** As chats and calls store it. */
export function readPolicy(stored: string | null): StoragePolicy | null {
  return stored === null ? null : (JSON.parse(stored) as StoragePolicy)
}

/** Whether `setting` keeps less than `other`. */
export function isStricter(setting: DataStorageSetting, other: DataStorageSetting): boolean {
  return DATA_STORAGE_SETTINGS.indexOf(setting) > DATA_STORAGE_SETTINGS.indexOf(other)
}

/** Of several agents that held a conversation the strictest wins: least is kept, most counts as personal, for the shortest time. */
export function strictestOf(policies: readonly StoragePolicy[]): StoragePolicy {
  return policies.reduce(stricterOf, STORE_EVERYTHING)
}

/** The strictest of what a conversation carries, if anything, and of what others want. */
export function strictestWith(stored: StoragePolicy | null, others: readonly StoragePolicy[]): StoragePolicy {
  return strictestOf(stored === null ? others : [stored, ...others])
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

/** Of conversations that began before they carried a policy. */
const LEGACY_POLICY: StoragePolicy = { setting: 'everything', categories: PII_CATEGORIES, retentionDays: null }

/**
 * The policy of a conversation of which less is to be stored from now on; `null` when that is so already. Throws `invalid_request`
 * where it would be more.
 */
export function tightenedPolicy(
  { storage, stored_as }: { readonly storage: string | null; readonly stored_as: string | null },
  setting: DataStorageSetting,
): StoragePolicy | null {
  const policy = readPolicy(storage) ?? LEGACY_POLICY
  const applied = stored_as as DataStorageSetting | null
  const currentSetting = applied !== null && isStricter(applied, policy.setting) ? applied : policy.setting
  if (currentSetting === setting) return null
  if (!isStricter(setting, currentSetting))
    throw invalidField('data_storage_setting', `can only become stricter: it is "${currentSetting}"`)
  return { ...policy, setting }
}

const DAY_MS = 86_400_000

/** When a conversation that ended then is deleted; `null` keeps it. */
export function deletionTime({ retentionDays }: StoragePolicy, endedAt: number): number | null {
  return retentionDays === null ? null : endedAt + retentionDays * DAY_MS
}
