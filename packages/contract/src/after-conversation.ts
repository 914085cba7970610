import { z } from 'zod'
import { POST_CONVERSATION_SETTINGS } from './agent-settings/conversation-settings.ts'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from './agent-settings/outcome-settings.ts'
import { wordsOf } from './agent-settings/setting.ts'
import { orDefault } from './fields.ts'
import { sentence } from './tool-fields.ts'
import { ExtractedVariable, rejectDuplicateNames } from './tools.ts'

/** What becomes of a conversation once it is over: its analysis, and what of it is stored for how long. */

/** How much is kept, most first. */
export const DATA_STORAGE_SETTINGS = wordsOf(POST_CONVERSATION_SETTINGS.data_storage_setting)
export const DataStorageSetting = z.enum(DATA_STORAGE_SETTINGS).meta({ id: 'DataStorageSetting' })
export type DataStorageSetting = z.output<typeof DataStorageSetting>

/** Kinds of personal data. */
export const PII_CATEGORIES = [
  'person_name',
  'address',
  'email',
  'phone_number',
  'ssn',
  'passport',
  'driver_license',
  'credit_card',
  'bank_account',
  'password',
  'pin',
  'medical_id',
  'date_of_birth',
  'customer_account_number',
] as const
export const PiiCategory = z.enum(PII_CATEGORIES).meta({ id: 'PiiCategory' })
export type PiiCategory = z.output<typeof PiiCategory>

const PII_CONFIG = { description: 'What counts as personal where personal data is not stored.' }

/** As bodies carry it. */
export const PiiConfigInput = z
  .object({
    mode: orDefault(z.literal('post_call'), () => 'post_call' as const),
    categories: z.array(PiiCategory).max(PII_CATEGORIES.length),
  })
  .meta({ id: 'PiiConfigInput', ...PII_CONFIG })

/** As answers carry it. */
export const PiiConfig = z
  .object({ mode: z.literal('post_call'), categories: z.array(PiiCategory) })
  .meta({ id: 'PiiConfig', ...PII_CONFIG })
export type PiiConfig = z.output<typeof PiiConfig>

const preset = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.object({
    type: z.literal('system-presets'),
    name: z.enum(names),
    description: sentence().optional(),
    required: z.boolean().optional(),
    conditional_prompt: sentence().optional(),
  })

/** The presets under the names for chats and for calls; both mean the same. */
export const AnalysisPreset = preset([
  'chat_summary',
  'chat_successful',
  'call_summary',
  'call_successful',
  'user_sentiment',
]).meta({ id: 'AnalysisPreset' })
export type AnalysisPreset = z.output<typeof AnalysisPreset>

/** One thing to find out about a conversation. */
export const AnalysisItem = z
  .discriminatedUnion('type', [AnalysisPreset, ExtractedVariable])
  .meta({ id: 'AnalysisItem' })
export type AnalysisItem = z.output<typeof AnalysisItem>

export const AnalysisItems = z
  .array(AnalysisItem)
  .max(100)
  .superRefine(rejectDuplicateNames, { when: ({ value }) => Array.isArray(value) })

/** What is found out when nobody said anything else. */
export const CHAT_ANALYSIS_PRESETS: readonly AnalysisItem[] = CHAT_OUTCOME_SETTINGS.post_chat_analysis_data.default
export const CALL_ANALYSIS_PRESETS: readonly AnalysisItem[] = CALL_OUTCOME_SETTINGS.post_call_analysis_data.default
