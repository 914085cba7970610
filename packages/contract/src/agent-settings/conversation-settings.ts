import { defineSettings } from './setting.ts'

/** Settings that agents of every kind have. */

/** Who an agent is, and what it does when models fail. */
export const CONVERSATION_SETTINGS = defineSettings({
  agent_name: {
    type: 'text',
    maxLength: 200,
    default: '',
    isUnboundedInResponses: true,
    description: 'Name to know it by; no model is told it.',
    option: 'agentName',
    group: 'general',
    label: 'Name',
    help: 'To know it by. No model is told it.',
  },
  language: {
    type: 'custom',
    default: 'en-US',
    description: 'Language of the speech, as a tag such as `en-US`. No model is told it: prompts say what to write in.',
    group: 'general',
    label: 'Language',
    help: 'Language of the speech. Say in the prompt what to write in.',
  },
  timezone: {
    type: 'custom',
    default: 'UTC',
    description: 'IANA time zone of `{{current_time}}`, `{{current_hour}}` and `{{current_calendar}}`.',
    option: 'timezone',
    group: 'general',
    label: 'Time zone',
    help: 'Used for dates and times in prompts.',
  },
  fallback_models: {
    type: 'lines',
    maxLength: 200,
    maxItems: 5,
    default: [],
    example: 'provider/model',
    description: 'Models to try in this order when that of the engine fails: `provider/model` or bare names.',
    option: 'fallbackModels',
    group: 'fallback',
    label: 'Models to try when the model fails',
    help: 'In this order, one in a line, at most five.',
  },
  fallback_message: {
    type: 'text',
    maxBytes: 8 * 1024,
    default: null,
    rows: 2,
    isUnboundedInResponses: true,
    description: 'Said when every model fails; may hold `{{variables}}`. Null: the request for an answer fails then.',
    option: 'fallbackMessage',
    group: 'fallback',
    label: 'What is said when all of them fail',
    help: 'May hold variables. Left empty, the request for an answer fails.',
  },
})

/** What becomes of conversations that are over, and when silence ends a chat. */
export const POST_CONVERSATION_SETTINGS = defineSettings({
  end_chat_after_silence_ms: {
    type: 'integer',
    unit: 'ms',
    minimum: 120_000,
    maximum: 259_200_000,
    default: 3_600_000,
    shownIn: 'min',
    isUnboundedInResponses: true,
    description: 'Milliseconds of silence after which a chat is ended; 3600000, an hour, by default.',
    option: 'endAfterSilenceMs',
    group: 'chat-end',
    label: 'End a chat after silence of',
  },
  auto_close_message: {
    type: 'text',
    maxBytes: 8 * 1024,
    default: null,
    rows: 2,
    isUnboundedInResponses: true,
    description: 'Stands last in a chat that was ended for its silence. Null: nothing is said.',
    option: 'autoCloseMessage',
    group: 'chat-end',
    label: 'Last words of a chat that silence ended',
  },
  data_storage_setting: {
    type: 'choice',
    choices: {
      everything: 'Everything',
      everything_except_pii: 'Everything but personal data',
      basic_attributes_only: 'Nothing that was said',
    },
    default: 'everything',
    description:
      'What is kept once a conversation is over: `everything`, `everything_except_pii` (personal data is replaced by ' +
      'words such as `[email]`; recordings of calls are removed, since nothing can be taken out of sound) or ' +
      '`basic_attributes_only` (nothing that was said).',
    option: 'storage',
    group: 'storage',
    label: 'What is kept',
    help: 'Recordings of calls are removed with personal data, since nothing can be taken out of sound.',
  },
  data_storage_retention_days: {
    type: 'integer',
    unit: 'days',
    minimum: 1,
    maximum: 730,
    default: null,
    isUnboundedInResponses: true,
    description: 'Days after its end when a conversation is deleted. Null: never.',
    option: 'retentionDays',
    group: 'storage',
    label: 'Days until it is deleted',
    help: 'Left empty, conversations are kept for good.',
  },
  pii_config: {
    type: 'custom',
    default: null,
    description: 'Which personal data `everything_except_pii` leaves out. Null: all that is known.',
    group: 'storage',
    label: 'Kinds of personal data',
  },
})

/** The address of its own that an agent tells of its conversations. */
export const WEBHOOK_SETTINGS = defineSettings({
  webhook_url: {
    type: 'text',
    default: null,
    inputType: 'url',
    example: 'https://',
    description:
      'Address that is told of its conversations in the place of the webhooks of the workspace. Null: those.',
    option: 'url',
    group: 'webhook',
    label: 'Address of the webhook',
    help: 'Told of its conversations in the place of the webhooks of the workspace. Left empty, those are told.',
  },
  webhook_timeout_ms: {
    type: 'integer',
    unit: 'ms',
    minimum: 1_000,
    maximum: 30_000,
    default: 10_000,
    shownIn: 's',
    isUnboundedInResponses: true,
    description: 'Milliseconds that an answer of `webhook_url` may take; 10000 by default.',
    option: 'timeoutMs',
    group: 'webhook',
    label: 'Longest wait for its answer',
  },
})
