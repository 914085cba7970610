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

const METADATA = {
  description: 'Custom data. Custom tools receive it in their JSON body unless `args_at_root` is set.',
}
const CUSTOM_ATTRIBUTES = { description: 'More custom data, which is only stored.' }
const AT_MOST = 'At most 50 KiB of JSON.'

export const FreeObject = z.record(z.string(), z.unknown())
const Metadata = freeObject().meta({ description: `${METADATA.description} ${AT_MOST}` })
const CustomAttributes = freeObject().meta({ description: `${CUSTOM_ATTRIBUTES.description} ${AT_MOST}` })
const emptyObject = () => ({})

/** The agents of a conversation in a response. */
export const AgentPath = z
  .array(z.object({ agentId: z.string(), agentVersion: z.int(), at: DateTime }))
  .meta({ description: 'Agents of the conversation, in order.' })

/** Custom data in a response. */
export const customDataFields = {
  metadata: FreeObject.meta(METADATA),
  customAttributes: FreeObject.meta(CUSTOM_ATTRIBUTES),
}

/** Dynamic variables in a response. */
export const variableFields = {
  service_dynamic_variables: StringMap.meta({ description: 'Variables set when the conversation was created.' }),
  collectedDynamicVariables: StringMap.meta({ description: 'Variables collected during the conversation.' }),
  overrideDynamicVariables: OverrideMap.meta({
    description: 'Variables that take precedence over all others; null clears a variable.',
  }),
}

/** The version of the agent and the data of a new conversation. */
export const newConversationFields = {
  agentVersion: integer(1).nullable().optional().meta({
    description: 'Version of the agent for the whole conversation. Defaults to the active version.',
  }),
  metadata: orDefault(Metadata, emptyObject),
  customAttributes: orDefault(CustomAttributes, emptyObject),
  dynamicVariables: orDefault(
    Variables.meta({
      description:
        'Values of `{{variables}}`, which take precedence over the defaults of the engine. Numbers and booleans become strings.',
    }),
    emptyObject,
  ),
  serviceDynamicVariables: Variables.nullable().optional().meta({ description: 'Alias of `dynamicVariables`.' }),
}

/** Data of a conversation in a PATCH body. */
export const changedMetadata = clearable(Metadata, emptyObject)
export const changedCustomAttributes = clearable(CustomAttributes, emptyObject)
export const changedOverrideVariables = clearable(
  OverrideVariables.meta({
    description:
      'Values of `{{variables}}` that take precedence over all others from the next turn on. Numbers and booleans become ' +
      'strings; null clears a variable.',
  }),
  emptyObject,
)
export const strictDataStorage = DataStorageSetting.optional().meta({
  description:
    'Data to keep after the conversation. Only a stricter setting than that of its agents has an effect, and it cannot be ' +
    'relaxed later.',
})
