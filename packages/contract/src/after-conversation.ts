import { z } from 'zod'
import { POST_CONVERSATION_SETTINGS } from './agent-settings/conversation-settings.ts'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from './agent-settings/outcome-settings.ts'
import { listChoices } from './agent-settings/setting.ts'
import { orDefault } from './fields.ts'
import { defineDescribedObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'
import { ExtractedVariable } from './tools.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** Settings for the analysis, storage and redaction of ended conversations. */

/** Storage levels, from the most to the least data. */
export const DATA_STORAGE_SETTINGS = listChoices(POST_CONVERSATION_SETTINGS.data_storage_setting)
export const DataStorageSetting = z.enum(DATA_STORAGE_SETTINGS).meta({ id: 'DataStorageSetting' })
export type DataStorageSetting = z.output<typeof DataStorageSetting>

/** Categories of personal data. */
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

const PII_CONFIG = 'Categories of personal data to redact.'

/** Redaction settings in a request body. */
export const PiiConfigInput = defineDescribedObject('PiiConfigInput', PII_CONFIG, {
  mode: orDefault(z.literal('post_call'), () => 'post_call' as const),
  categories: z.array(PiiCategory).max(PII_CATEGORIES.length),
})

/** Redaction settings in a response. */
export const PiiConfig = defineDescribedObject('PiiConfig', PII_CONFIG, {
  mode: z.literal('post_call'),
  categories: z.array(PiiCategory),
})
export type PiiConfig = z.output<typeof PiiConfig>

const definePreset = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.object({
    type: z.literal('system-presets'),
    name: z.enum(names),
    description: sentence().optional(),
    required: z.boolean().optional(),
    conditional_prompt: sentence().optional(),
  })

/** Analysis presets for chats and calls. Each preset has two names with the same meaning. */
export const AnalysisPreset = definePreset([
  'chat_summary',
  'chat_successful',
  'call_summary',
  'call_successful',
  'user_sentiment',
]).meta({ id: 'AnalysisPreset' })
export type AnalysisPreset = z.output<typeof AnalysisPreset>

/** A single analysis item. */
export const AnalysisItem = z
  .discriminatedUnion('type', [AnalysisPreset, ExtractedVariable])
  .meta({ id: 'AnalysisItem' })
export type AnalysisItem = z.output<typeof AnalysisItem>

export const AnalysisItems = z.array(AnalysisItem).max(100).superRefine(rejectDuplicates('name'), DESPITE_OTHER_ISSUES)

/** Default analysis items. */
export const CHAT_ANALYSIS_PRESETS: readonly AnalysisItem[] = CHAT_OUTCOME_SETTINGS.post_chat_analysis_data.default
export const CALL_ANALYSIS_PRESETS: readonly AnalysisItem[] = CALL_OUTCOME_SETTINGS.post_call_analysis_data.default
