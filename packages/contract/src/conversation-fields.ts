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

const METADATA = 'Custom data. Custom tools receive it in their JSON body unless `args_at_root` is set.'
const CUSTOM_ATTRIBUTES = 'Additional custom data. It is stored but not used.'
const AT_MOST = 'At most 50 KiB of JSON.'

export const FreeObject = z.record(z.string(), z.unknown())
const Metadata = freeObject().describe(`${METADATA} ${AT_MOST}`)
const CustomAttributes = freeObject().describe(`${CUSTOM_ATTRIBUTES} ${AT_MOST}`)
const emptyObject = () => ({})

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
  metadata: orDefault(Metadata, emptyObject),
  customAttributes: orDefault(CustomAttributes, emptyObject),
  dynamicVariables: orDefault(
    Variables.describe(
      'Values of `{{variables}}`, which override the engine’s defaults. Numbers and booleans become strings.',
    ),
    emptyObject,
  ),
  serviceDynamicVariables: Variables.nullable().optional().describe('Alias of `dynamicVariables`.'),
}

/** Conversation data in a PATCH body. */
export const changedMetadata = clearable(Metadata, emptyObject)
export const changedCustomAttributes = clearable(CustomAttributes, emptyObject)
export const changedOverrideVariables = clearable(
  OverrideVariables.describe(
    'Values of `{{variables}}` that override all others from the next turn. Numbers and booleans become ' +
      'strings; null clears a variable.',
  ),
  emptyObject,
)
export const strictDataStorage = DataStorageSetting.optional().describe(
  'Data to keep after the conversation. Only a setting stricter than the agents’ settings has an effect, and it cannot be ' +
    'relaxed later.',
)
