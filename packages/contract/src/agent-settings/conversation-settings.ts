import { defineSettings } from './setting.ts'

/** Settings that every kind of agent has. */

/** An agent's identity and fallbacks. */
export const CONVERSATION_SETTINGS = defineSettings({
  agent_name: {
    type: 'text',
    maxLength: 200,
    default: '',
    isUnboundedInResponses: true,
    description: 'Display name. It is not sent to the model.',
    option: 'agentName',
    group: 'general',
    label: 'Name',
    help: 'Only shown to your team.',
  },
  language: {
    type: 'custom',
    default: 'en-US',
    description:
      'Spoken language, as a tag such as `en-US`. It is not sent to the model; set the written language in the prompt.',
    group: 'general',
    label: 'Language',
    help: 'Spoken language. Set the written language in the prompt.',
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
    description: 'Fallback models, tried in this order if the main model fails: `provider/model` or bare names.',
    option: 'fallbackModels',
    group: 'fallback',
    label: 'Fallback models',
    help: 'Tried in this order if the model fails. One per line, up to five.',
  },
  fallback_message: {
    type: 'text',
    maxBytes: 8 * 1024,
    default: null,
    rows: 2,
    isUnboundedInResponses: true,
    description: 'Message sent if every model fails; can contain `{{variables}}`. If null, the request fails instead.',
    option: 'fallbackMessage',
    group: 'fallback',
    label: 'Fallback message',
    help: 'Sent if all models fail. Leave empty to return an error.',
  },
})

/** Storage settings for ended conversations, and the inactivity timeout of chats. */
export const POST_CONVERSATION_SETTINGS = defineSettings({
  end_chat_after_silence_ms: {
    type: 'integer',
    unit: 'ms',
    minimum: 120_000,
    maximum: 259_200_000,
    default: 3_600_000,
    shownIn: 'min',
    isUnboundedInResponses: true,
    description: 'Milliseconds of inactivity after which a chat ends. Defaults to 3600000 (one hour).',
    option: 'endAfterSilenceMs',
    group: 'chat-end',
    label: 'End after silence',
  },
  auto_close_message: {
    type: 'text',
    maxBytes: 8 * 1024,
    default: null,
    rows: 2,
    isUnboundedInResponses: true,
    description: 'Message sent when a chat ends due to inactivity. If null, no message is sent.',
    option: 'autoCloseMessage',
    group: 'chat-end',
    label: 'Closing message',
    help: 'Sent when a chat ends due to inactivity.',
  },
  data_storage_setting: {
    type: 'choice',
    choices: {
      everything: 'Everything',
      everything_except_pii: 'Everything except personal data',
      basic_attributes_only: 'Metadata only',
    },
    default: 'everything',
    description:
      'Data to store after a conversation: `everything`, `everything_except_pii` (personal data is replaced by ' +
      'placeholders such as `[email]`, and call recordings are deleted because audio cannot be redacted) or ' +
      '`basic_attributes_only` (no transcript and no recording).',
    option: 'storage',
    group: 'storage',
    label: 'Stored data',
    help: 'If personal data is not stored, recordings are deleted because audio cannot be redacted.',
  },
  data_storage_retention_days: {
    type: 'integer',
    unit: 'days',
    minimum: 1,
    maximum: 730,
    default: null,
    isUnboundedInResponses: true,
    description: 'Number of days after which an ended conversation is deleted. If null, it is kept permanently.',
    option: 'retentionDays',
    group: 'storage',
    label: 'Delete after',
    help: 'Leave empty to keep conversations permanently.',
  },
  pii_config: {
    type: 'custom',
    default: null,
    description:
      'Categories of personal data that `everything_except_pii` removes. If null, all known categories are removed.',
    group: 'storage',
    label: 'Personal data',
  },
})

/** Webhook settings of an agent. */
export const WEBHOOK_SETTINGS = defineSettings({
  webhook_url: {
    type: 'text',
    default: null,
    inputType: 'url',
    example: 'https://',
    description:
      'URL that receives this agent’s events instead of the workspace webhooks. If null, the workspace webhooks receive them.',
    option: 'url',
    group: 'webhook',
    label: 'Webhook URL',
    help: 'Overrides the workspace webhooks for this agent.',
  },
  webhook_timeout_ms: {
    type: 'integer',
    unit: 'ms',
    minimum: 1_000,
    maximum: 30_000,
    default: 10_000,
    shownIn: 's',
    isUnboundedInResponses: true,
    description: 'Milliseconds to wait for a response from `webhook_url`. Defaults to 10000.',
    option: 'timeoutMs',
    group: 'webhook',
    label: 'Timeout',
  },
})
