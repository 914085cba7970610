import { z } from 'zod'
import { DataStorageSetting } from './after-conversation.ts'
import {
  clearable,
  DateTime,
  freeObject,
  integer,
  OverrideMap,
  OverrideVariables,
  orDefault,
  StringMap,
  Variables,
} from './fields.ts'

/** Fields that chats and calls share. */

const METADATA = 'Custom data, sent to custom tools in the JSON body unless `args_at_root` is set.'
const CUSTOM_ATTRIBUTES = 'Additional custom data, stored but not used.'
const SIZE_LIMIT = 'At most 50 KiB of JSON.'

export const FreeObject = z.record(z.string(), z.unknown())
const Metadata = freeObject().describe(`${METADATA} ${SIZE_LIMIT}`)
const CustomAttributes = freeObject().describe(`${CUSTOM_ATTRIBUTES} ${SIZE_LIMIT}`)
const createEmptyObject = () => ({})

/** The agents of a conversation in a response. */
export const AgentPath = z
  .array(z.object({ agentId: z.string(), agentVersion: z.int(), at: DateTime }))
  .describe('Agents of the conversation, in order.')

/** Custom data in a response. */
export const customDataFields = {
  metadata: FreeObject.describe(METADATA),
  customAttributes: FreeObject.describe(CUSTOM_ATTRIBUTES),
}

/** Dynamic variables in a response. */
export const variableFields = {
  service_dynamic_variables: StringMap.describe('Variables set when the conversation was created.'),
  collectedDynamicVariables: StringMap.describe('Variables collected during the conversation.'),
  overrideDynamicVariables: OverrideMap.describe('Variables that override all others; null clears a variable.'),
}

/** Agent version and data of a new conversation. */
export const newConversationFields = {
  agentVersion: integer(1)
    .nullable()
    .optional()
    .describe('Version of the agent for the whole conversation. Defaults to the active version.'),
  metadata: orDefault(Metadata, createEmptyObject),
  customAttributes: orDefault(CustomAttributes, createEmptyObject),
  dynamicVariables: orDefault(
    Variables.describe(
      'Values of `{{variables}}`, which override the engine’s defaults. Numbers and booleans become strings.',
    ),
    createEmptyObject,
  ),
  serviceDynamicVariables: Variables.nullable().optional().describe('Alias of `dynamicVariables`.'),
}

/** Conversation data in a PATCH body. */
export const changedMetadata = clearable(Metadata, createEmptyObject)
export const changedCustomAttributes = clearable(CustomAttributes, createEmptyObject)
export const changedOverrideVariables = clearable(
  OverrideVariables.describe(
    'Values of `{{variables}}` that override all others from the next turn. Numbers and booleans become ' +
      'strings; null clears a variable.',
  ),
  createEmptyObject,
)
export const strictDataStorage = DataStorageSetting.optional().describe(
  'Data to store after the conversation. Has an effect only if it is stricter than the agents’ settings, and cannot be ' +
    'relaxed later.',
)
