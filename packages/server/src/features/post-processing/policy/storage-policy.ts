import {
  DATA_STORAGE_SETTINGS,
  type DataStorageSetting,
  PII_CATEGORIES,
  type PiiCategory,
} from '@parley/contract/after-conversation'
import { invalidField } from '../../../kernel/errors.ts'
import type { PostProcessingSettings } from '../../agents/public.ts'

/** Defines which content of a conversation is stored and for how long. Stored with each conversation. */
export interface StoragePolicy {
  readonly setting: DataStorageSetting
  /** Categories of personal data to redact if the setting excludes personal data. */
  readonly categories: readonly PiiCategory[]
  /** Days from the end of a conversation to its deletion, or null to keep it. */
  readonly retentionDays: number | null
}

export const STORE_EVERYTHING: StoragePolicy = { setting: 'everything', categories: [], retentionDays: null }

export function toStoragePolicy({ storage, piiCategories, retentionDays }: PostProcessingSettings): StoragePolicy {
  return { setting: storage, categories: piiCategories, retentionDays }
}

/** Parses the policy column of a chat or call. */
export function parsePolicy(json: string | null): StoragePolicy | null {
  return json === null ? null : (JSON.parse(json) as StoragePolicy)
}

/** Whether `setting` keeps less than `otherSetting`. */
export function isStricter(setting: DataStorageSetting, otherSetting: DataStorageSetting): boolean {
  return DATA_STORAGE_SETTINGS.indexOf(setting) > DATA_STORAGE_SETTINGS.indexOf(otherSetting)
}

/** Combines policies into the strictest: least storage, most personal categories, and shortest retention. */
export function combinePolicies(policies: readonly StoragePolicy[]): StoragePolicy {
  return policies.reduce(combineTwoPolicies, STORE_EVERYTHING)
}

/** Combines the conversation's policy, if any, with other policies. The strictest applies. */
export function combineWithStoredPolicy(
  storedPolicy: StoragePolicy | null,
  otherPolicies: readonly StoragePolicy[],
): StoragePolicy {
  return combinePolicies(storedPolicy === null ? otherPolicies : [storedPolicy, ...otherPolicies])
}

function combineTwoPolicies(first: StoragePolicy, second: StoragePolicy): StoragePolicy {
  const days = [first.retentionDays, second.retentionDays].filter((value) => value !== null)
  return {
    setting: isStricter(second.setting, first.setting) ? second.setting : first.setting,
    categories: combineCategories(first, second),
    retentionDays: days.length === 0 ? null : Math.min(...days),
  }
}

/** Combines the categories of two policies. If only one policy redacts, only its categories apply. */
function combineCategories(first: StoragePolicy, second: StoragePolicy): readonly PiiCategory[] {
  const redactingPolicies = [first, second].filter(({ setting }) => setting === 'everything_except_pii')
  const policies = redactingPolicies.length === 0 ? [first, second] : redactingPolicies
  return [...new Set(policies.flatMap(({ categories }) => categories))]
}

/** Policy of conversations stored before policies existed. */
const LEGACY_POLICY: StoragePolicy = { setting: 'everything', categories: PII_CATEGORIES, retentionDays: null }

/** Returns the policy with a stricter setting, or null if it already applies. Throws `invalid_request` for a looser setting. */
export function tightenPolicy(
  { storage, stored_as }: { readonly storage: string | null; readonly stored_as: string | null },
  setting: DataStorageSetting,
): StoragePolicy | null {
  const policy = parsePolicy(storage) ?? LEGACY_POLICY
  const appliedSetting = stored_as as DataStorageSetting | null
  const currentSetting =
    appliedSetting !== null && isStricter(appliedSetting, policy.setting) ? appliedSetting : policy.setting
  if (currentSetting === setting) return null
  if (!isStricter(setting, currentSetting))
    throw invalidField('data_storage_setting', `can only become stricter: it is "${currentSetting}"`)
  return { ...policy, setting }
}

const DAY_MS = 86_400_000

/** Returns the time at which a conversation is deleted, or null to keep it. */
export function computeDeletionTime({ retentionDays }: StoragePolicy, endedAt: number): number | null {
  return retentionDays === null ? null : endedAt + retentionDays * DAY_MS
}
