import {
  DATA_STORAGE_SETTINGS,
  type DataStorageSetting,
  PII_CATEGORIES,
  type PiiCategory,
} from '@parley/contract/after-conversation'
import { invalidField } from '../../../kernel/errors.ts'
import type { PostProcessingSettings } from '../../agents/public.ts'

/**
 * What is stored of a conversation and for how long. Each conversation has its own, so that deleting its agent exposes
 * nothing.
 */
export interface StoragePolicy {
  readonly setting: DataStorageSetting
  /** Personal data to redact where the setting excludes it. */
  readonly categories: readonly PiiCategory[]
  /** Days after its end until the conversation is deleted; `null` keeps it. */
  readonly retentionDays: number | null
}

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

/** The strictest of several policies: the least storage, the most personal categories and the shortest time. */
export function strictestOf(policies: readonly StoragePolicy[]): StoragePolicy {
  return policies.reduce(stricterOf, STORE_EVERYTHING)
}

/** The strictest of the conversation's own policy, if any, and others. */
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

/** Categories matter only with the setting that uses them, unless neither has it. */
function categoriesOf(one: StoragePolicy, other: StoragePolicy): readonly PiiCategory[] {
  const using = [one, other].filter(({ setting }) => setting === 'everything_except_pii')
  const from = using.length === 0 ? [one, other] : using
  return [...new Set(from.flatMap(({ categories }) => categories))]
}

/** For conversations from before policies existed. */
const LEGACY_POLICY: StoragePolicy = { setting: 'everything', categories: PII_CATEGORIES, retentionDays: null }

/**
 * A stricter policy for a conversation; `null` when it already applies. Throws `invalid_request` for a more permissive
 * one.
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

/** When a conversation with this end is deleted; `null` keeps it. */
export function deletionTime({ retentionDays }: StoragePolicy, endedAt: number): number | null {
  return retentionDays === null ? null : endedAt + retentionDays * DAY_MS
}
